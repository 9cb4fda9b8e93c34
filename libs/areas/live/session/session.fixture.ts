import {
  LiveClientConnected,
  LiveSessionEnded,
  LiveSessionOpened,
} from '#events/live/live.events.js';
import { UserId } from '#events/vocabulary.js';

export const AT = '2026-11-26T05:00:00.000Z';
export const MINUTE = '2026-11-26T05:01:00.000Z';
export const EXPIRY = '2026-11-26T06:00:00.000Z';
export const SESSION = '7d1f0c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c';
export const OF = { sessionId: SESSION, accountId: '7' };
export const LINES = [
  { meter: 'live_minutes', quantity: 1, unitPriceMicroUsd: '2000', perUnits: 1 },
  { meter: 'live_frames', quantity: 240, unitPriceMicroUsd: '50000', perUnits: 1_000 },
];

export const opened = LiveSessionOpened.of({
  ...OF,
  ...{ userId: UserId.parse(7), modelAsked: null, width: 64, height: 64, targetFps: 4 },
  ...{ rig: 'built-in', host: 'one', openedAt: AT, heldUntil: MINUTE, expiresAt: EXPIRY },
  hold: { holdId: SESSION, lines: LINES, rateCardVersion: 3 },
});

export const connected = (host = 'one') => LiveClientConnected.of({ ...OF, host, connectedAt: AT });

export const ended = (
  reason: LiveSessionEnded['data']['reason'],
  minutes: number,
  frames: number,
  endedAt: string,
) => LiveSessionEnded.of({ ...OF, reason, minutes, frames, endedAt });
