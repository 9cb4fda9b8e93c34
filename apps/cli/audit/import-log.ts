import { ArchivedLog } from '#areas/audit/archive/archived-log.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { copyInto } from '../platform/copy-log.js';
import { openLogAt } from '../platform/log-address.js';
import { orNotProved, trustOf, type TrustOptions } from './trust-options.js';

export interface ImportLogOptions extends CommonOptions, TrustOptions {
  readonly files: readonly string[];
  readonly to: string;
  readonly toPrefix?: string;
}

/** Each archive is proved before the first event is written. */
export const importLog = async (
  { files, to, toPrefix = '', ...trust }: ImportLogOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const log = await orNotProved('archive_not_proved', () =>
    ArchivedLog.open(files, trustOf(trust)),
  );
  const target = await openLogAt({ url: to, prefix: toPrefix, mayBegin: true });
  try {
    return await copyInto(target, { log, head: log.head }, invocation);
  } finally {
    await target.close();
  }
};
