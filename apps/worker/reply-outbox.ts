import { setTimeout as sleep } from 'node:timers/promises';
import { BUS_BACK_OFF } from '#platform/bus/back-off.js';
import { BusError } from '#platform/bus/bus.errors.js';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';

/** A run that has messages to publish. */
export interface ReplySource {
  take(): readonly BusMessage[];
  /** Called when the taken messages could not be published. */
  lost(error: unknown): void;
}

/** Gateways abandon a silent worker after 5 s, so later replies are useless. */
const GIVE_UP_MS = 10_000;

/**
 * The pause between two lists for one gateway. A small model generates a word every millisecond,
 * and a message to the broker costs more than the word. People do not notice 20 ms.
 */
const PAUSE_MS = 20;

/** Sources that wait for one topic: for its current list, or for the pause after the list. */
class Lane {
  readonly #sources = new Set<ReplySource>();
  #hurried = false;
  #wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.#sources.size === 0;
  }

  add(source: ReplySource, isUrgent: boolean): void {
    this.#sources.add(source);
    this.#hurried ||= isUrgent;
    if (isUrgent) this.#wake?.();
  }

  takeSources(): readonly ReplySource[] {
    const sources = [...this.#sources];
    this.#sources.clear();
    this.#hurried = false;
    return sources;
  }

  /** Resolves after this time, or when an urgent source arrives. */
  async rest(ms: number): Promise<void> {
    if (this.#hurried || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

/**
 * Publishes the replies of all runs in order, one list at a time for each topic. A list contains
 * all replies since the last one.
 */
export class ReplyOutbox {
  readonly #lanes = new Map<string, Lane>();
  readonly #sending = new Set<Promise<void>>();

  constructor(
    private readonly bus: Pick<Bus, 'publish'>,
    private readonly giveUpMs: number = GIVE_UP_MS,
    private readonly pauseMs: number = PAUSE_MS,
  ) {}

  /** @param isUrgent publishes without the pause, since a caller waits for this reply */
  wanted(topic: string, source: ReplySource, isUrgent: boolean): void {
    const lane = this.#lanes.get(topic);
    if (lane) {
      lane.add(source, isUrgent);
      return;
    }
    const added = new Lane();
    added.add(source, isUrgent);
    this.#lanes.set(topic, added);
    const sending = this.#send(topic, added).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Resolves when no source waits. */
  async drained(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  async #send(topic: string, lane: Lane): Promise<void> {
    while (!lane.isEmpty) {
      // Replies of the same turn of the event loop are published together.
      await Promise.resolve();
      const sources = lane.takeSources();
      const pauseEndsMs = performance.now() + this.pauseMs;
      try {
        const messages = sources.flatMap((source) => source.take());
        if (messages.length > 0) await this.#publish(topic, messages);
      } catch (error) {
        for (const source of sources) source.lost(error);
      }
      await lane.rest(pauseEndsMs - performance.now());
    }
    this.#lanes.delete(topic);
  }

  async #publish(topic: string, messages: readonly BusMessage[]): Promise<void> {
    const giveUpAtMs = performance.now() + this.giveUpMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.bus.publish(topic, messages);
        return;
      } catch (error) {
        if (!passes(error) || performance.now() > giveUpAtMs) throw error;
        await sleep(backOffMs(BUS_BACK_OFF, attempt, Math.random()));
      }
    }
  }
}

const passes = (error: unknown): boolean =>
  error instanceof BusError && (error.code === 'bus-unavailable' || error.code === 'topic-full');
import { backOffMs } from '#platform/kernel/back-off.js';
