import { setTimeout as sleep } from 'node:timers/promises';
import { BUS_BACK_OFF } from '#platform/bus/back-off.js';
import { BusError } from '#platform/bus/bus.errors.js';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';

/** Whoever has messages when asked. */
export interface ReplySource {
  take(): readonly BusMessage[];
  /** What was taken could not be published. */
  lost(error: unknown): void;
}

/** Gateways give a silent worker up after 5 s; what comes later is heard by nobody. */
const GIVE_UP_MS = 10_000;

/**
 * Between two lists for one gateway. A small model speaks every millisecond, and a message to the
 * broker for each of its words would cost more than the word; nobody sees 20 ms.
 */
const PAUSE_MS = 20;

/** What waits for one topic while the last list is on its way, or just gone. */
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

  /** For so long, or until something urgent comes. */
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
 * Publishes the replies of all runs, one list at a time for each topic: in order, and as many to a
 * list as have come since the last.
 */
export class ReplyOutbox {
  readonly #lanes = new Map<string, Lane>();
  readonly #sending = new Set<Promise<void>>();

  constructor(
    private readonly bus: Pick<Bus, 'publish'>,
    private readonly giveUpMs: number = GIVE_UP_MS,
    private readonly pauseMs: number = PAUSE_MS,
  ) {}

  /** @param isUrgent someone waits for this very reply: it does not wait for the pause to end */
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

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  async #send(topic: string, lane: Lane): Promise<void> {
    while (!lane.isEmpty) {
      // What is said in the same turn goes out together.
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
