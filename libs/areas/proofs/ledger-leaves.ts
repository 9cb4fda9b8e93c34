import { createHmac, hash } from 'node:crypto';
import { type LedgerTask } from './ledger-prover.engine.js';
import { type SourceLeaf } from './snapshot-source.port.js';

export const SALT_PURPOSE = 'ledger-leaf-salts';

/** Fits into a number of the circuit. */
const LEAF_BYTES = 31;

const numberOf = (bytes: Buffer): string =>
  BigInt(`0x${bytes.subarray(0, LEAF_BYTES).toString('hex')}`).toString();

/** The first 31 bytes of the SHA-256 of an id. */
export const idNumber = (id: string): string => numberOf(hash('sha256', id, 'buffer'));

/** The leaf of an account or a bundle. Only the installation and the account know the salt. */
export const leafOf = (
  { id, amount }: SourceLeaf,
  position: bigint,
  saltKey: Buffer,
): LedgerTask['leaves'][number] => ({
  account: idNumber(id),
  balance: amount.toString(),
  salt: numberOf(createHmac('sha256', saltKey).update(`${position} ${id}`).digest()),
});
