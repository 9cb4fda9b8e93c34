import { createHmac, hash } from 'node:crypto';
import { type AccountBalance } from './ledger-balances.port.js';
import { type LedgerTask } from './ledger-prover.engine.js';

export const SALT_PURPOSE = 'ledger-leaf-salts';

/** Fits into a number of the circuit. */
const LEAF_BYTES = 31;

const numberOf = (bytes: Buffer): string =>
  BigInt(`0x${bytes.subarray(0, LEAF_BYTES).toString('hex')}`).toString();

/** The first 31 bytes of the SHA-256 of its id. */
export const accountNumber = (accountId: string): string =>
  numberOf(hash('sha256', accountId, 'buffer'));

/** The leaf of an account. Only the installation and the account know the salt. */
export const leafOf = (
  { accountId, microUsd }: AccountBalance,
  position: bigint,
  saltKey: Buffer,
): LedgerTask['leaves'][number] => ({
  account: accountNumber(accountId),
  balance: microUsd.toString(),
  salt: numberOf(createHmac('sha256', saltKey).update(`${position} ${accountId}`).digest()),
});
