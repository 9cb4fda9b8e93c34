import { z } from 'zod';

/** Words that the events of crypto deposits share. */

/** The currencies that a deposit may be paid in. */
export const CryptoCurrency = z.enum(['BTC', 'ETH', 'USDT', 'USDC', 'SOL', 'LTC', 'BCH', 'DOGE']);
export type CryptoCurrency = z.infer<typeof CryptoCurrency>;

export const CryptoNetwork = z.enum([
  'bitcoin',
  'litecoin',
  'bitcoin-cash',
  'dogecoin',
  'ethereum',
  'solana',
]);
export type CryptoNetwork = z.infer<typeof CryptoNetwork>;

/** An amount in the smallest unit of its currency, as a decimal string. */
export const CryptoUnits = z.string().regex(/^(0|[1-9]\d{0,30})$/);

/**
 * `pending`: no payment was seen. `detected`: seen, in no block. `confirming`: in a block, without
 * the confirmations that the invoice demands. `completed`, `overpaid`, `underpaid`: what the
 * confirmed payments come to. `expired`: nothing was paid in time. `late`: paid after the invoice
 * had expired.
 */
export const CryptoInvoiceStatus = z.enum([
  'pending',
  'detected',
  'confirming',
  'completed',
  'expired',
  'underpaid',
  'overpaid',
  'late',
]);
export type CryptoInvoiceStatus = z.infer<typeof CryptoInvoiceStatus>;

/** The 16 first bytes of SHA-256 over the chain code and the public key, in hex. */
export const KeyFingerprint = z.string().regex(/^[0-9a-f]{32}$/);

/** A child of an extended public key: not hardened. */
export const ChildIndex = z.int().min(0).max(2_147_483_647);

/** The id of a transaction as its network prints it. */
export const TransactionId = z.string().regex(/^[0-9A-Za-z]{1,100}$/);

/** Which part of the transaction pays: an output, a log or an instruction, by its number. */
export const TransactionOutput = z.int().min(0);

/** A block as the chain showed it. */
export const BlockReference = z.strictObject({
  hash: z.string().regex(/^[0-9A-Za-z]{1,100}$/),
  height: z.int().min(0),
});
export type BlockReference = z.infer<typeof BlockReference>;
