import { randomBytes, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Logger } from 'pino';
import { type Bus, type BusMessage, type Listener } from '#platform/bus/bus.port.js';
import { listenWhenReachable } from '#platform/jobs/listen-when-reachable.js';
import {
  PROBE_CHUNK_BYTES,
  ProbeMessage,
  probeResultsTopicOf,
  type ProbeResult,
  probesTopicOf,
} from './probe.protocol.js';

export interface ProbedLinksOptions {
  readonly bus: Pick<Bus, 'publish' | 'listen'>;
  /** The name of this worker. */
  readonly worker: string;
  readonly logger: Pick<Logger, 'warn'>;
  /** How long a receipt may take; default 5 s. */
  readonly receiptMs?: number;
}

type Measure = Extract<ProbeMessage, { readonly kind: 'measure' }>;
type Chunk = Extract<ProbeMessage, { readonly kind: 'chunk' }>;

const RECEIPT_MS = 5_000;
/** Unfinished transfers to this worker whose bytes are counted. */
const OPEN_MAX = 100;
/** Messages in one call of the bus. */
const CHUNKS_AT_ONCE = 4;

/**
 * The side of a worker: sends chunks to another worker on request, times them, and confirms chunks
 * that it has received. The times are of one clock: from the first chunk to the receipt. Transfers
 * of this worker go one after the other.
 */
export class ProbedLinks {
  readonly #stopping = new AbortController();
  readonly #received = new LRUCache<string, number>({ max: OPEN_MAX });
  readonly #receipts = new Map<string, () => void>();
  #listening: Promise<Listener | null> = Promise.resolve(null);
  #measuring: Promise<void> = Promise.resolve();

  constructor(private readonly options: ProbedLinksOptions) {}

  start(): void {
    const { bus, worker, logger } = this.options;
    const topic = probesTopicOf(worker);
    const handle = (message: BusMessage): void => this.#hear(message);
    this.#listening = listenWhenReachable({ bus, logger, topic, handle }, this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const receive of this.#receipts.values()) receive();
    await (await this.#listening)?.close();
    await this.#measuring;
  }

  #hear({ data }: BusMessage): void {
    const message = ProbeMessage.parse(data);
    switch (message.kind) {
      case 'measure':
        this.#measuring = this.#measuring.then(() => this.#measure(message));
        break;
      case 'ping':
        this.#send(probeResultsTopicOf(message.replyTo), { kind: 'pong', probe: message.probe });
        break;
      case 'chunk':
        this.#count(message);
        break;
      case 'received':
        this.#receipts.get(message.probe)?.();
        break;
    }
  }

  /** Never rejects. The first chunk is not timed: it may open a connection or a topic. */
  async #measure({ probe, to, chunks, replyTo }: Measure): Promise<void> {
    const { bus, logger } = this.options;
    if (this.#stopping.signal.aborted) return;
    try {
      const isReachable = (await this.#transfer(randomUUID(), to, 1)) !== null;
      const elapsedMs = isReachable ? await this.#transfer(probe, to, chunks) : null;
      const bytes = chunks * PROBE_CHUNK_BYTES;
      const data = { kind: 'measured', probe, bytes, elapsedMs } satisfies ProbeResult;
      const message = { key: probe, id: randomUUID(), headers: {}, data };
      await bus.publish(probeResultsTopicOf(replyTo), [message]);
    } catch (error) {
      logger.warn({ err: error, to }, 'the link to a worker could not be timed');
    }
  }

  /** Milliseconds, or null where no receipt came in time. */
  async #transfer(probe: string, to: string, chunks: number): Promise<number | null> {
    const { bus, worker, receiptMs = RECEIPT_MS } = this.options;
    const content = randomBytes(PROBE_CHUNK_BYTES).toString('base64');
    const messages = Array.from({ length: chunks }, (_, index): BusMessage => {
      const data: Chunk = { kind: 'chunk', probe, from: worker, index, chunks, content };
      return { key: probe, id: randomUUID(), headers: {}, data };
    });
    const receipt = Promise.withResolvers<number | null>();
    const timer = setTimeout(() => receipt.resolve(null), receiptMs);
    this.#receipts.set(probe, () => receipt.resolve(performance.now()));
    try {
      const startedAt = performance.now();
      for (let sent = 0; sent < chunks; sent += CHUNKS_AT_ONCE) {
        await bus.publish(probesTopicOf(to), messages.slice(sent, sent + CHUNKS_AT_ONCE));
      }
      const endedAt = await receipt.promise;
      return endedAt === null || this.#stopping.signal.aborted ? null : endedAt - startedAt;
    } finally {
      clearTimeout(timer);
      this.#receipts.delete(probe);
    }
  }

  #count({ probe, from, chunks, content }: Chunk): void {
    const bytes = (this.#received.get(probe) ?? 0) + Buffer.byteLength(content, 'base64');
    this.#received.set(probe, bytes);
    if (bytes < chunks * PROBE_CHUNK_BYTES) return;
    this.#received.delete(probe);
    this.#send(probesTopicOf(from), { kind: 'received', probe, bytes });
  }

  #send(topic: string, data: ProbeMessage | ProbeResult): void {
    const { bus, logger } = this.options;
    const message = { key: data.probe, id: randomUUID(), headers: {}, data };
    bus.publish(topic, [message]).catch((error: unknown) => {
      logger.warn({ err: error, topic }, 'an answer to a probe could not be sent');
    });
  }
}
