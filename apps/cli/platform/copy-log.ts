import { type EventStore } from '#platform/event-store/event-store.port.js';
import { ForeignTargetError, LogCopy } from '#platform/log-copy/log-copy.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { openProgress } from '../progress.js';
import { openLogAt } from './log-address.js';

export interface CopyLogOptions extends CommonOptions {
  readonly from: string;
  readonly to: string;
  readonly fromPrefix?: string;
  readonly toPrefix?: string;
  readonly follow?: boolean;
  readonly oneByOne?: boolean;
}

/** It needs no key: events are copied as they are, sealed fields sealed. */
export const copyLog = async (
  { from, to, fromPrefix = '', toPrefix = '', ...options }: CopyLogOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const source = await openLogAt({ url: from, prefix: fromPrefix, mayBegin: false });
  try {
    const target = await openLogAt({ url: to, prefix: toPrefix, mayBegin: true });
    try {
      return await copied(source, target, options, invocation);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
};

type HowToCopy = Pick<CopyLogOptions, 'follow' | 'oneByOne'>;

const copied = async (
  source: EventStore,
  target: EventStore,
  { follow = false, oneByOne = false }: HowToCopy,
  { signal, stderr }: Invocation,
): Promise<Outcome> => {
  const copy = new LogCopy(source, target);
  const progress = await openProgress(stderr, 'copying the log');
  const head = await source.head();
  const onProgress = ({ position }: { readonly position: bigint }): void =>
    progress.update(position < head ? position : head, head);
  try {
    await copy.run({ onProgress, oneByOne, signal });
    progress.stop();
    if (follow && !signal.aborted) {
      stderr.write('The copy follows the log. Stop all writers, then press Ctrl-C.\n');
      await copy.follow({ oneByOne, signal });
    }
    if (!follow) signal.throwIfAborted();
    // What the writers said last.
    if (follow) await copy.run({ oneByOne });
    const { events, root } = await copy.compare();
    return {
      json: { events, root },
      text: `The copy has all ${events} events, and the root ${root}.`,
    };
  } catch (error) {
    if (!(error instanceof ForeignTargetError)) throw error;
    throw new CommandFailure('foreign_target', error.message, EXIT.failed, { cause: error });
  } finally {
    progress.stop();
  }
};
