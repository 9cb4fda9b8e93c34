import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant } from '../vocabulary.js';
import { ChildIndex, KeyFingerprint } from './crypto.vocabulary.js';

/** The indexes of one extended public key that invoices have used: one stream for each key. */
export const DepositIndexAllocated = defineEvent('DepositIndexAllocated', {
  version: 1,
  schema: z.strictObject({
    fingerprint: KeyFingerprint,
    index: ChildIndex,
    invoiceId: z.uuid(),
    /** Of the invoice. */
    accountId: AccountId,
    allocatedAt: Instant,
  }),
});
export type DepositIndexAllocated = EventOf<typeof DepositIndexAllocated>;

/** A block has a payment to the address of this index: a wallet that is restored finds it. */
export const DepositIndexUsed = defineEvent('DepositIndexUsed', {
  version: 1,
  schema: z.strictObject({ fingerprint: KeyFingerprint, index: ChildIndex, usedAt: Instant }),
});
export type DepositIndexUsed = EventOf<typeof DepositIndexUsed>;

export type DepositKeyEvent = DepositIndexAllocated | DepositIndexUsed;

export const depositKeyEvents = [DepositIndexAllocated, DepositIndexUsed] as const;
