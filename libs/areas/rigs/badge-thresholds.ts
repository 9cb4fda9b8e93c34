import { type BadgeThreshold } from '#events/rigs/rig.events.js';

/**
 * The thresholds in force, the best badge first. A certification carries the thresholds of its
 * time.
 */
export const BADGE_THRESHOLDS: readonly BadgeThreshold[] = [
  {
    badge: 'gold',
    firstTokenMsMax: 500,
    tokensPerSecondMin: 50,
    tokensPerSecondConcurrentMin: 100,
  },
  {
    badge: 'silver',
    firstTokenMsMax: 2_000,
    tokensPerSecondMin: 20,
    tokensPerSecondConcurrentMin: 20,
  },
  {
    badge: 'bronze',
    firstTokenMsMax: 10_000,
    tokensPerSecondMin: 5,
    tokensPerSecondConcurrentMin: null,
  },
];

/** How long a badge is worth something. */
export const CERTIFICATION_MS = 30 * 24 * 60 * 60 * 1_000;
