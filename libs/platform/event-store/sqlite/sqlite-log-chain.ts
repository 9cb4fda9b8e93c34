import { availableParallelism } from 'node:os';
import { WorkerChannel } from '#platform/threads/worker-channel.js';
import { StoreUnavailableError } from '../event-store.errors.js';
import { type ChainCheckOptions, type ChainReport, type LogChain } from '../log-chain.port.js';
import { PAGE_POSITIONS } from './chain-reader.js';
import { type CheckSegment, checkSegments, segmentsOf } from './chain-segments.js';
import { type ChainReply, type ChainRequest } from './log-chain.protocol.js';
import { type WriterSettings } from './writer.protocol.js';

const WORKER = new URL('./log-chain.worker.js', import.meta.url);

/** Some 0.1 s of a thread. */
const SEGMENT_POSITIONS = 4 * PAGE_POSITIONS;
/** Each has a heap and a connection of its own. */
const THREADS_MAX = 16;

type Channel = WorkerChannel<ChainRequest, ChainReply>;

/**
 * Checks the chain on threads of its own, one for each core, so that the caller folds the log
 * meanwhile. The report is the same with any number of threads (`chain-segments.ts`).
 */
export class SqliteLogChain implements LogChain {
  constructor(
    private readonly settings: WriterSettings,
    private readonly threads = Math.min(availableParallelism(), THREADS_MAX),
    private readonly segmentPositions = SEGMENT_POSITIONS,
  ) {}

  async check(options: ChainCheckOptions): Promise<ChainReport> {
    const segments = segmentsOf(Number(options.upTo), this.segmentPositions);
    const channels = Array.from(
      { length: Math.max(1, Math.min(this.threads, segments.length)) },
      (): Channel => new WorkerChannel(WORKER, this.settings),
    );
    try {
      await Promise.all(channels.map(expectReady));
      return await checkSegments(segments, channels.map(checkerOn), options);
    } finally {
      await Promise.all(channels.map((channel) => channel.close({ kind: 'close' })));
    }
  }
}

const checkerOn =
  (channel: Channel): CheckSegment =>
  async (segment, seam) => {
    const reply = await new Promise<ChainReply | null>((resolve) => {
      channel.request({ kind: 'check', segment, ...(seam && { seam }) }, resolve);
    });
    return expectReply(reply, 'checked', channel.failure).checked;
  };

const expectReady = async (channel: Channel): Promise<void> => {
  expectReply(await channel.started(), 'ready', channel.failure);
};

const expectReply = <Kind extends ChainReply['kind']>(
  reply: ChainReply | null,
  kind: Kind,
  failure: Error | null,
): Extract<ChainReply, { readonly kind: Kind }> => {
  if (reply?.kind === kind) return reply as Extract<ChainReply, { readonly kind: Kind }>;
  const reason = reply?.kind === 'failed' ? reply.reason : (failure?.message ?? 'its thread ended');
  throw new StoreUnavailableError(`the chain of the event log cannot be checked: ${reason}`);
};
