import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
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
  { from, to, fromPrefix = '', toPrefix = '', follow, oneByOne }: CopyLogOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const source = await openLogAt({ url: from, prefix: fromPrefix, mayBegin: false });
  try {
    const target = await openLogAt({ url: to, prefix: toPrefix, mayBegin: true });
    try {
      const growing = follow === true ? { growing: source } : {};
      const log = { log: source, head: await source.head(), ...growing };
      return await copyInto(target, log, invocation, oneByOne);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
};

/** Where the events of a copy come from, and how far it has any. */
export interface CopySource {
  readonly log: Pick<EventStore, 'readAll'>;
  /** Of its last event. */
  readonly head: Position;
  /** The same log, whose new events are to be copied until Ctrl-C. */
  readonly growing?: EventStore;
}

/** @throws CommandFailure `foreign_target` */
export const copyInto = async (
  target: EventStore,
  { log, head, growing }: CopySource,
  { signal, stderr }: Invocation,
  oneByOne = false,
): Promise<Outcome> => {
  const copy = new LogCopy(log, target);
  const progress = await openProgress(stderr, 'copying the log');
  const onProgress = ({ position }: { readonly position: bigint }): void =>
    progress.update(position < head ? position : head, head);
  try {
    await copy.run({ onProgress, oneByOne, signal });
    progress.stop();
    if (growing && !signal.aborted) {
      stderr.write('The copy follows the log. Stop all writers, then press Ctrl-C.\n');
      await copy.follow(growing, { oneByOne, signal });
    }
    if (!growing) signal.throwIfAborted();
    // The last words of the writers.
    if (growing) await copy.run({ oneByOne });
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
