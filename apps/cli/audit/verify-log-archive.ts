import { createReadStream } from 'node:fs';
import { describeArchive, verifyArchive } from '#areas/audit/archive/verify-archive.js';
import { type CommonOptions, type Outcome } from '../invocation.js';
import { orNotProved, trustOf, type TrustOptions } from './trust-options.js';

export interface VerifyLogArchiveOptions extends CommonOptions, TrustOptions {
  readonly file: string;
}

/** Needs no installation: everything is in the archive. */
export const verifyLogArchive = async ({
  file,
  ...trust
}: VerifyLogArchiveOptions): Promise<Outcome> => {
  const report = await orNotProved('archive_not_proved', () =>
    verifyArchive(createReadStream(file), trustOf(trust)),
  );
  return { json: { ...report }, text: describeArchive(report) };
};
