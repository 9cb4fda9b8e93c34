import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant } from '../vocabulary.js';
import { ChildIndex, KeyFingerprint } from './crypto.vocabulary.js';

/** The indexes of one extended public key that invoices have used: one stream for each key. */
export const DepositIndexAllocated = defineEvent('DepositIndexAllocated', {
  version: 1,
  schema: z.strictObject({
    fingerprint: KeyFingerprint,
    index: ChildIndex,
    invoiceId: z.uuid(),
    allocatedAt: Instant,
  }),
});
export type DepositIndexAllocated = EventOf<typeof DepositIndexAllocated>;

export const depositKeyEvents = [DepositIndexAllocated] as const;
