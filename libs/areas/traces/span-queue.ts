import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  checkpointAt,
  SavedCheckpoint,
  type SubscriptionHandler,
} from '#platform/runtime/subscriptions/subscription-handler.js';
import { type Span, spansOfRecorded, TRACED_TYPES } from './spans.js';

const NAME = 'traces.spans';
const RETRIES: BackOff = { firstMs: 1_000, maxMs: 60_000 };

interface QueueOptions {
  readonly eventStore: Pick<EventStore, 'head'>;
  readonly readStore: ReadStore;
  readonly codec: EventCodec;
  readonly logger: Pick<Logger, 'warn'>;
  /** Rejects where the collector did not take them. */
  readonly send: (spans: readonly Span[]) => Promise<void>;
  /** Ends the waiting for a collector. */
  readonly stopping: AbortSignal;
  readonly retries?: BackOff;
}

/**
 * Sends the spans of each batch of events, then saves its position: each span goes at least once. A
 * collector that is away is a matter of this queue alone. It waits, and nothing else does.
 */
export class SpanQueue implements SubscriptionHandler {
  readonly name = NAME;
  readonly types = TRACED_TYPES;
  #saved = new SavedCheckpoint(0n);
  #handled: RecordedEvent | undefined;

  constructor(private readonly options: QueueOptions) {}

  /** The first run begins at the end of the log. */
  async checkpoint(): Promise<Position> {
    const { readStore, eventStore } = this.options;
    let position = await readStore.checkpoint(NAME);
    if (position === undefined) {
      position = await eventStore.head();
      await readStore.commit({ writes: [], checkpoint: checkpointAt(NAME, position, undefined) });
    }
    this.#saved = new SavedCheckpoint(position);
    return position;
  }

  async handle({ events, position }: SubscriptionBatch): Promise<void> {
    const traced = events.filter(({ type }) => this.types.includes(type));
    const { codec, readStore } = this.options;
    const spans = spansOfRecorded(codec, traced);
    if (spans.length > 0 && !(await this.#sent(spans))) return;
    this.#handled = traced.at(-1) ?? this.#handled;
    if (traced.length === 0 && !this.#saved.isFarBehind(position)) return;
    const checkpoint = checkpointAt(NAME, position, this.#handled);
    await readStore.commit({ writes: [], checkpoint });
    this.#saved.saved(position);
  }

  /** @returns false where the process stops before the collector has them */
  async #sent(spans: readonly Span[]): Promise<boolean> {
    const { send, stopping: signal, logger, retries = RETRIES } = this.options;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await send(spans);
        return true;
      } catch (error) {
        logger.warn({ err: error, spans: spans.length }, 'spans could not be sent; retrying');
        const pauseMs = backOffMs(retries, attempt);
        await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
    return false;
  }
}
