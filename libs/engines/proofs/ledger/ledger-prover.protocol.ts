import { z } from 'zod';
import { Groth16Key, Groth16Proof, PublicSignals } from '../proofs.protocol.js';
import { LEAVES } from './ledger-statement.js';

/** A number below 2 to the power of 248 fits into the field. */
const Number31 = z.string().regex(/^(0|[1-9]\d{0,74})$/);

export const LedgerTask = z.strictObject({
  leaves: z
    .array(z.strictObject({ account: Number31, balance: Number31, salt: Number31 }))
    .max(LEAVES),
  before: z.strictObject({ root: z.string().regex(/^\d{1,78}$/), total: Number31 }),
  position: Number31,
});
export type LedgerTask = z.infer<typeof LedgerTask>;

export const LedgerEnd = z.strictObject({
  proof: Groth16Proof,
  signals: PublicSignals,
  /** Of the proving key, as it lies beside it. */
  key: Groth16Key,
});
export type LedgerEnd = z.infer<typeof LedgerEnd>;
