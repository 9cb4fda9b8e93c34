import { WorkerChannel } from '#platform/threads/worker-channel.js';
import { StoreUnavailableError } from '../event-store.errors.js';
import { type Position } from '../event-store.port.js';
import {
  type ChainCheckOptions,
  type ChainReport,
  type DamagedEvent,
  type LogChain,
} from '../log-chain.port.js';
import { type ChainReply, type ChainRequest } from './log-chain.protocol.js';
import { type WriterSettings } from './writer.protocol.js';

const WORKER = new URL('./log-chain.worker.js', import.meta.url);

/** Checks the chain on a thread of its own, so that the caller folds the log meanwhile. */
export class SqliteLogChain implements LogChain {
  constructor(private readonly settings: WriterSettings) {}

  async check({ upTo, onProgress, signal }: ChainCheckOptions): Promise<ChainReport> {
    const channel = new WorkerChannel<ChainRequest, ChainReply>(WORKER, this.settings);
    try {
      expectReply(await channel.started(), 'ready', channel.failure);
      const damaged: DamagedEvent[] = [];
      let position: Position = 0n;
      let events = 0;
      let hash: string | null = null;
      while (position < upTo) {
        signal?.throwIfAborted();
        const reply = await new Promise<ChainReply | null>((resolve) => {
          channel.request({ kind: 'check', upTo }, resolve);
        });
        const checked = expectReply(reply, 'checked', channel.failure);
        ({ position } = checked);
        events += checked.events;
        damaged.push(...checked.damaged);
        hash = checked.hash && Buffer.from(checked.hash).toString('hex');
        onProgress?.(position);
      }
      return { events, position, hash, damaged };
    } finally {
      await channel.close({ kind: 'close' });
    }
  }
}

const expectReply = <Kind extends ChainReply['kind']>(
  reply: ChainReply | null,
  kind: Kind,
  failure: Error | null,
): Extract<ChainReply, { readonly kind: Kind }> => {
  if (reply?.kind === kind) return reply as Extract<ChainReply, { readonly kind: Kind }>;
  const reason = reply?.kind === 'failed' ? reply.reason : (failure?.message ?? 'its thread ended');
  throw new StoreUnavailableError(`the chain of the event log cannot be checked: ${reason}`);
};
