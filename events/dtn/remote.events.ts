import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant, Sha256Hex, UserId } from '../vocabulary.js';
import { BundleId, CustodyHold, Eid } from './dtn.events.js';

const Tokens = z.int().nonnegative().max(1_000_000);

/** In the stream `remote-<requestId>`, as all events of a request that another node carries out. */
const ofRequest = { requestId: z.uuid(), accountId: AccountId, placedAt: Instant };

/** Its upper amount is held, and a bundle carries the signed grant. */
export const RemoteRequestPlaced = defineEvent('RemoteRequestPlaced', {
  version: 1,
  schema: z.strictObject({
    ...ofRequest,
    userId: UserId,
    node: Eid,
    bundleId: BundleId,
    nonce: z.string().regex(/^[0-9a-f]{32}$/),
    promptTokensMax: Tokens,
    completionTokensMax: Tokens,
    expiresAt: Instant,
    hold: CustodyHold,
  }),
});
export type RemoteRequestPlaced = EventOf<typeof RemoteRequestPlaced>;

/** The signed receipt of the node. */
const Receipt = {
  status: z.enum(['completed', 'failed']),
  promptTokens: Tokens,
  completionTokens: Tokens,
  receiptSha256: Sha256Hex,
  /** The sealed answer; null without one. */
  answer: Sha256Hex.nullable(),
};

export const RemoteRequestSettled = defineEvent('RemoteRequestSettled', {
  version: 1,
  schema: z.strictObject({ ...ofRequest, ...Receipt, settledAt: Instant }),
});
export type RemoteRequestSettled = EventOf<typeof RemoteRequestSettled>;

/** No receipt came in time: the hold is freed, for good. */
export const RemoteRequestExpired = defineEvent('RemoteRequestExpired', {
  version: 1,
  schema: z.strictObject({ ...ofRequest, expiredAt: Instant }),
});
export type RemoteRequestExpired = EventOf<typeof RemoteRequestExpired>;

/** A receipt after the expiry. It is free. */
export const LateReceiptRecorded = defineEvent('LateReceiptRecorded', {
  version: 1,
  schema: z.strictObject({ ...ofRequest, ...Receipt, recordedAt: Instant }),
});
export type LateReceiptRecorded = EventOf<typeof LateReceiptRecorded>;

export type RemoteEvent =
  RemoteRequestPlaced | RemoteRequestSettled | RemoteRequestExpired | LateReceiptRecorded;

export const remoteEvents = [
  RemoteRequestPlaced,
  RemoteRequestSettled,
  RemoteRequestExpired,
  LateReceiptRecorded,
] as const;
