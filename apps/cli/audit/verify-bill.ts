import { readFile } from 'node:fs/promises';
import { describeBill, verifyBill } from '#areas/audit/bill/verify-bill.js';
import { usage } from '../command-failure.js';
import { type CommonOptions, type Outcome } from '../invocation.js';
import { orNotProved, trustOf, type TrustOptions } from './trust-options.js';

export interface VerifyBillOptions extends CommonOptions, TrustOptions {
  readonly file: string;
}

/** Needs no installation: everything is in the archive. */
export const verifyBillFile = async ({ file, ...trust }: VerifyBillOptions): Promise<Outcome> => {
  const zip = await readFile(file).catch((error: unknown) => {
    throw usage(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  });
  const report = await orNotProved('bill_not_proved', () => verifyBill(zip, trustOf(trust)));
  return { json: { ...report }, text: describeBill(report) };
};
