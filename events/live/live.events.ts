import { z } from 'zod';
import { RigName } from '../catalog/rate-card.events.js';
import { defineEvent, type EventOf } from '../definition.js';
import { HoldTerms } from '../hold.vocabulary.js';
import { AccountId, Instant, UserId } from '../vocabulary.js';

/** Derived from the token of the session, which is nowhere in the log. */
export const LiveSessionId = z.uuid();
const Count = z.int().nonnegative();
const Instance = z.string().min(1).max(128);

/** In the stream `live-<sessionId>`, as all events of a session. */
const ofSession = { sessionId: LiveSessionId, accountId: AccountId };

const LiveHold = HoldTerms.pick({
  holdId: true,
  lines: true,
  rateCardVersion: true,
  key: true,
  tags: true,
  endUser: true,
});
export type LiveHold = z.infer<typeof LiveHold>;

/** How a session has ended. `lapsed`: no process renewed it. */
export const LiveEnd = z.enum(['hang_up', 'silence', 'funds', 'expired', 'lapsed']);
export type LiveEnd = z.infer<typeof LiveEnd>;

/** A session with its first minute held. */
export const LiveSessionOpened = defineEvent('LiveSessionOpened', {
  version: 1,
  schema: z.strictObject({
    ...ofSession,
    userId: UserId,
    /** Null where the request names none. */
    modelAsked: z.string().min(1).nullable(),
    width: z.int().positive(),
    height: z.int().positive(),
    targetFps: z.int().positive(),
    /** Null: no rig draws pictures, and this process does. */
    rig: RigName.nullable(),
    hold: LiveHold,
    /** The process that serves the session. */
    host: Instance,
    openedAt: Instant,
    /** The end of the last minute that is held. */
    heldUntil: Instant,
    /** The end of the token. */
    expiresAt: Instant,
  }),
});
export type LiveSessionOpened = EventOf<typeof LiveSessionOpened>;

/** A signalling connection has opened; `host` serves the session from now on. */
export const LiveClientConnected = defineEvent('LiveClientConnected', {
  version: 1,
  schema: z.strictObject({ ...ofSession, host: Instance, connectedAt: Instant }),
});
export type LiveClientConnected = EventOf<typeof LiveClientConnected>;

/** Its signalling connection has closed. The session waits for the client. */
export const LiveClientLeft = defineEvent('LiveClientLeft', {
  version: 1,
  schema: z.strictObject({ ...ofSession, frames: Count, leftAt: Instant }),
});
export type LiveClientLeft = EventOf<typeof LiveClientLeft>;

/** Another minute is held. */
export const LiveSessionRenewed = defineEvent('LiveSessionRenewed', {
  version: 1,
  schema: z.strictObject({
    ...ofSession,
    lines: HoldTerms.shape.lines,
    heldUntil: Instant,
    /** Frames that were drawn since the session was opened. */
    frames: Count,
    renewedAt: Instant,
  }),
});
export type LiveSessionRenewed = EventOf<typeof LiveSessionRenewed>;

export const LiveSessionEnded = defineEvent('LiveSessionEnded', {
  version: 1,
  schema: z.strictObject({
    ...ofSession,
    reason: LiveEnd,
    /** Each that has begun counts; 0 for a session that was not used. */
    minutes: Count,
    frames: Count,
    endedAt: Instant,
  }),
});
export type LiveSessionEnded = EventOf<typeof LiveSessionEnded>;

export type LiveEvent =
  LiveSessionOpened | LiveClientConnected | LiveClientLeft | LiveSessionRenewed | LiveSessionEnded;

export const liveEvents = [
  LiveSessionOpened,
  LiveClientConnected,
  LiveClientLeft,
  LiveSessionRenewed,
  LiveSessionEnded,
] as const;
