import { readFile } from 'node:fs/promises';
import { BillError } from '#areas/audit/bill/bill.error.js';
import { type BillReport, describeBill, verifyBill } from '#areas/audit/bill/verify-bill.js';
import { CommandFailure, usage } from '../command-failure.js';
import { type CommonOptions, type Outcome } from '../invocation.js';

export interface VerifyBillOptions extends CommonOptions {
  readonly file: string;
  readonly key?: string;
  readonly witness?: readonly string[];
  readonly quorum?: number;
}

/** Needs no installation: everything is in the archive. */
export const verifyBillFile = async (options: VerifyBillOptions): Promise<Outcome> => {
  const { file, key, witness, quorum } = options;
  const zip = await readFile(file).catch((error: unknown) => {
    throw usage(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  });
  const trust = {
    ...(key !== undefined && { key }),
    ...(witness && { witnesses: witness }),
    ...(quorum !== undefined && { quorum }),
  };
  const report = proved(() => verifyBill(zip, trust));
  return { json: { ...report }, text: describeBill(report) };
};

const proved = (verify: () => BillReport): BillReport => {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof BillError)) throw error;
    throw new CommandFailure('bill_not_proved', error.message);
  }
};
