import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { backOffMs } from '#platform/kernel/back-off.js';
import { BUS_BACK_OFF } from '../back-off.js';
import { reasonOf } from '../bus.checks.js';
import { BusError } from '../bus.errors.js';
import { type KafkaClient, KafkaFailure, type KafkaRecord } from './kafka-client.port.js';
import { bytesOf } from './record-codec.js';

/** Of one request; a broker takes 1,048,588 in a batch, and a record has 1,040,000 at most. */
const BATCH_BYTES_MAX = 1_000_000;
/** Bytes that may wait for a broker; more is rejected until some of it is written. */
export const WAITING_BYTES_MAX = 64 * 1_024 * 1_024;
const PAUSE_MS_MAX = 1_000;

export interface TopicWriterOptions {
  readonly client: KafkaClient;
  readonly topic: string;
  readonly logger: Logger;
  /** How long the broker may be away before what waits is rejected, in ms. */
  readonly publishTimeoutMs: number;
}

/** The records of one call, written in one request or in several. */
interface Call {
  readonly since: number;
  readonly settle: (failure?: BusError) => void;
  unwritten: number;
}

interface Waiting {
  readonly record: KafkaRecord;
  readonly bytes: number;
  readonly call: Call;
}

/**
 * Writes to one topic in the order of the calls, one request at a time. Calls made during a request
 * share the next one, so a busy topic is written in batches and an idle one at once.
 */
export class TopicWriter {
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | null = null;

  constructor(private readonly options: TopicWriterOptions) {}

  /** @throws BusError `message-too-large`, `topic-full`, `bus-unavailable` */
  write(records: readonly KafkaRecord[]): Promise<void> {
    if (records.length === 0) return Promise.resolve();
    if (this.#waitingBytes > WAITING_BYTES_MAX) {
      const detail = `${this.#waitingBytes} bytes wait to be written to ${this.options.topic}`;
      return Promise.reject(new BusError('topic-full', detail));
    }
    return new Promise((resolve, reject) => {
      const settle = (failure?: BusError) => (failure ? reject(failure) : resolve());
      const call = { since: Date.now(), settle, unwritten: records.length };
      for (const record of records) {
        const bytes = bytesOf(record);
        this.#waiting.push({ record, bytes, call });
        this.#waitingBytes += bytes;
      }
      this.#writing ??= this.#writeAll();
    });
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // Later: what is called for in the same turn goes along.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      const failure = await this.#writeBatch(batch);
      if (failure) this.#reject(batch, failure);
      else this.#settle(batch);
    }
    // In the same turn as the last check of the queue, so that no caller is left waiting.
    this.#writing = null;
  }

  #nextBatch(): readonly Waiting[] {
    let bytes = 0;
    const found = this.#waiting.findIndex((one) => (bytes += one.bytes) > BATCH_BYTES_MAX);
    const count = found < 0 ? this.#waiting.length : Math.max(found, 1);
    return this.#waiting.slice(0, count);
  }

  /** Retries until the batch is written or rejected, or until the deadline. */
  async #writeBatch(batch: readonly Waiting[]): Promise<BusError | null> {
    const { client, topic, logger, publishTimeoutMs } = this.options;
    const deadline = (batch[0]?.call.since ?? 0) + publishTimeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await client.send(
          topic,
          batch.map(({ record }) => record),
        );
        return null;
      } catch (failure) {
        const waitMs = Math.min(backOffMs(BUS_BACK_OFF, attempt, Math.random()), PAUSE_MS_MAX);
        const isFinal = failure instanceof KafkaFailure && failure.kind !== 'unavailable';
        if (isFinal || Date.now() + waitMs > deadline) return busErrorOf(topic, failure);
        logger.warn({ topic, attempt, reason: reasonOf(failure) }, 'could not write, trying again');
        await sleep(waitMs);
      }
    }
  }

  #settle(batch: readonly Waiting[]): void {
    this.#waiting.splice(0, batch.length);
    for (const { bytes, call } of batch) {
      this.#waitingBytes -= bytes;
      call.unwritten -= 1;
      if (call.unwritten === 0) call.settle();
    }
  }

  /** If the bus is unavailable, fails all waiting calls; otherwise only the calls of the batch. */
  #reject(batch: readonly Waiting[], failure: BusError): void {
    const calls = new Set(batch.map(({ call }) => call));
    const isRejected = ({ call }: Waiting): boolean =>
      failure.code === 'bus-unavailable' || calls.has(call);
    const rejected = this.#waiting.filter(isRejected);
    this.#waiting = this.#waiting.filter((one) => !isRejected(one));
    this.#waitingBytes = this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { call } of rejected) call.settle(failure);
  }
}

const busErrorOf = (topic: string, cause: unknown): BusError => {
  const isTooLarge = cause instanceof KafkaFailure && cause.kind === 'too-large';
  const code = isTooLarge ? 'message-too-large' : 'bus-unavailable';
  return new BusError(code, `could not write to ${topic}: ${reasonOf(cause)}`, { cause });
};
