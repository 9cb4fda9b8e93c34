import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant, Sha256Hex, UserId } from '../vocabulary.js';
import { Sealed } from './identity.vocabulary.js';
import { Scopes } from './key-policy.vocabulary.js';

/** The password was correct and a second factor is required; the token was shown once. */
export const ChallengeIssued = defineEvent('ChallengeIssued', {
  version: 1,
  schema: z.strictObject({
    challengeHash: Sha256Hex,
    userId: UserId,
    sealedAppName: Sealed.nullable(),
    sealedDeviceInfo: Sealed.nullable(),
    /** Of the session that an answer opens. */
    scopes: Scopes,
    issuedAt: Instant,
    expiresAt: Instant,
  }),
});
export type ChallengeIssued = EventOf<typeof ChallengeIssued>;

export const ChallengeFailed = defineEvent('ChallengeFailed', {
  version: 1,
  schema: z.strictObject({
    challengeHash: Sha256Hex,
    userId: UserId,
    attemptsLeft: z.int().nonnegative(),
    failedAt: Instant,
  }),
});
export type ChallengeFailed = EventOf<typeof ChallengeFailed>;

export const ChallengeAnswered = defineEvent('ChallengeAnswered', {
  version: 1,
  schema: z.strictObject({
    challengeHash: Sha256Hex,
    userId: UserId,
    answeredAt: Instant,
  }),
});
export type ChallengeAnswered = EventOf<typeof ChallengeAnswered>;

export type ChallengeEvent = ChallengeIssued | ChallengeFailed | ChallengeAnswered;

export const challengeEvents = [ChallengeIssued, ChallengeFailed, ChallengeAnswered] as const;
