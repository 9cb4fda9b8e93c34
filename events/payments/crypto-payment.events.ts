import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant } from '../vocabulary.js';
import { CryptoNetwork, TransactionId, TransactionOutput } from './crypto.vocabulary.js';

/** A payment belongs to one invoice: a stream for each output of a transaction. */
export const CryptoPaymentClaimed = defineEvent('CryptoPaymentClaimed', {
  version: 1,
  schema: z.strictObject({
    network: CryptoNetwork,
    txid: TransactionId,
    output: TransactionOutput,
    invoiceId: z.uuid(),
    claimedAt: Instant,
  }),
});
export type CryptoPaymentClaimed = EventOf<typeof CryptoPaymentClaimed>;

export const cryptoPaymentEvents = [CryptoPaymentClaimed] as const;
