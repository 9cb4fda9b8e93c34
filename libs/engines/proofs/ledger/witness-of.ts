import { wtnsFile } from './circuit-files.js';
import { LedgerProverError } from './ledger-prover.errors.js';
import { type LedgerTask } from './ledger-prover.protocol.js';
import { ledgerStatement } from './ledger-statement.js';

/** The file of a witness. @throws LedgerProverError where the statement is false */
export const witnessOf = ({ leaves, before, position }: LedgerTask): Uint8Array => {
  const { system } = ledgerStatement(
    leaves.map(({ account, balance, salt }) => ({
      account: BigInt(account),
      balance: BigInt(balance),
      salt: BigInt(salt),
    })),
    { root: BigInt(before.root), total: BigInt(before.total) },
    BigInt(position),
  );
  if (system.isSatisfied()) return new Uint8Array(wtnsFile(system));
  throw new LedgerProverError('statement_false', 'a balance is 2^64 micro-dollars or more');
};
