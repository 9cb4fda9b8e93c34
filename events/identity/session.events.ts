import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant, Sha256Hex, UserId } from '../vocabulary.js';
import { Sealed } from './identity.vocabulary.js';
import { Scopes } from './key-policy.vocabulary.js';

const SecondFactor = z.enum(['none', 'one_time_code', 'recovery_code', 'provider']);

/** The app token names the session. The session's key ends with the session. */
export const SessionStarted = defineEvent('SessionStarted', {
  version: 1,
  schema: z.strictObject({
    sessionId: z.uuid(),
    userId: UserId,
    keyHash: Sha256Hex,
    sealedAppName: Sealed.nullable(),
    sealedDeviceInfo: Sealed.nullable(),
    scopes: Scopes,
    /**
     * The proof of identity beyond the first one. `provider`: the OpenID provider has asked for
     * several factors.
     */
    secondFactor: SecondFactor,
    startedAt: Instant,
    expiresAt: Instant,
  }),
});
export type SessionStarted = EventOf<typeof SessionStarted>;

export const SessionRevoked = defineEvent('SessionRevoked', {
  version: 1,
  schema: z.strictObject({
    sessionId: z.uuid(),
    userId: UserId,
    revokedAt: Instant,
    /** Copied from `SessionStarted`: it is part of the key of the read model's document. */
    expiresAt: Instant,
  }),
});
export type SessionRevoked = EventOf<typeof SessionRevoked>;

/** The user of a console session has entered the password again. */
export const SessionConfirmed = defineEvent('SessionConfirmed', {
  version: 1,
  schema: z.strictObject({
    sessionId: z.uuid(),
    userId: UserId,
    secondFactor: SecondFactor,
    confirmedAt: Instant,
  }),
});
export type SessionConfirmed = EventOf<typeof SessionConfirmed>;

export type SessionEvent = SessionStarted | SessionRevoked | SessionConfirmed;

export const sessionEvents = [SessionStarted, SessionRevoked, SessionConfirmed] as const;
