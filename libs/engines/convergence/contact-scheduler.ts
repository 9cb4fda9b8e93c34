import { ConvergenceError } from './convergence.errors.js';
import { type Timers } from './timers.js';

/** When this node can send to another. */
export interface Window {
  readonly id: string;
  readonly to: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** An open link to another node. */
export interface Link {
  /** Resolves when the other node has stored the bundle. @throws ConvergenceError */
  send(bundle: Uint8Array): Promise<void>;
  end(): Promise<void>;
  readonly ended: Promise<unknown>;
}

export interface Outgoing {
  readonly key: string;
  readonly content: Uint8Array;
}

/** The plan, the links and the waiting bundles of a node. */
export interface Outbox {
  /** The windows of the plan that are open at an instant or begin before another one. */
  windows(fromMs: number, untilMs: number): Promise<readonly Window[]>;
  /** @throws ConvergenceError */
  connect(to: string): Promise<Link>;
  /** The next bundles for a window, urgent ones first. */
  next(window: Window, max: number, passedBy: ReadonlySet<string>): Promise<readonly Outgoing[]>;
  /** The other node has stored it. */
  forwarded(key: string, window: Window): Promise<void>;
  /** A link that did not open, or broke. */
  failed(window: Window, error: unknown): void;
}

/** Bundles of a link that are under way. */
const UNDER_WAY_MAX = 32;
/** How often the plan is read, and how often an idle link asks for bundles, unless woken. */
const PLAN_MS = 3_000;
const POLL_MS = 1_000;
const RETRY_MS = { first: 1_000, max: 30_000 };

interface OpenWindow {
  readonly served: Promise<void>;
  /** The plan no longer has it. */
  readonly withdrawn: AbortController;
}

/** Opens and closes links by the contact plan, and sends what waits for them. */
export class ContactScheduler {
  readonly #open = new Map<string, OpenWindow>();
  #stop = new AbortController();
  #woken = Promise.withResolvers<null>();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly outbox: Outbox,
    private readonly timers: Timers,
  ) {}

  start(): void {
    this.#stop = new AbortController();
    this.#running = this.#run(this.#stop.signal);
  }

  /** Something is to be sent, or the plan has changed. */
  wake(): void {
    this.#woken.resolve(null);
    this.#woken = Promise.withResolvers<null>();
  }

  /** Resolves when all links are closed. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await Promise.all([...this.#open.values()].map(({ served }) => served));
  }

  async #run(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      const woken = this.#woken.promise;
      const nowMs = this.timers.now();
      const untilMs = nowMs + PLAN_MS;
      const windows = await this.outbox.windows(nowMs, untilMs);
      const planned = new Set(windows.map(({ id }) => id));
      for (const [id, { withdrawn }] of this.#open) if (!planned.has(id)) withdrawn.abort();
      const later: number[] = [untilMs];
      for (const window of windows) {
        if (this.#open.has(window.id)) continue;
        if (window.startMs > nowMs) later.push(window.startMs);
        else if (window.endMs > nowMs) this.#serve(window, signal);
      }
      await this.#sleep(Math.min(...later) - nowMs, signal, woken);
    }
  }

  /** Until the time is up, or something wakes the scheduler. */
  async #sleep(ms: number, signal: AbortSignal, woken: Promise<null>): Promise<void> {
    const awake = new AbortController();
    const either = AbortSignal.any([signal, awake.signal]);
    await Promise.race([this.timers.wait(ms, either), woken]);
    awake.abort();
  }

  #serve(window: Window, signal: AbortSignal): void {
    const withdrawn = new AbortController();
    const either = AbortSignal.any([signal, withdrawn.signal]);
    const served = this.#keepOpen(window, either).finally(() => this.#open.delete(window.id));
    this.#open.set(window.id, { served, withdrawn });
  }

  /** A link that breaks is opened again while its contact lasts. */
  async #keepOpen(window: Window, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const isOver = (): boolean => either.aborted || this.timers.now() >= window.endMs;
    void this.timers.wait(window.endMs - this.timers.now(), either).then(() => over.abort());
    // A bundle that the other node refuses waits for another contact.
    const refused = new Set<string>();
    let delayMs = RETRY_MS.first;
    while (!isOver()) {
      try {
        await this.#use(await this.outbox.connect(window.to), window, either, refused);
        delayMs = RETRY_MS.first;
      } catch (error) {
        this.outbox.failed(window, error);
        await this.timers.wait(delayMs, either);
        delayMs = Math.min(2 * delayMs, RETRY_MS.max);
      }
    }
    over.abort();
  }

  /** @throws ConvergenceError when the link breaks */
  async #use(link: Link, window: Window, signal: AbortSignal, refused: Set<string>): Promise<void> {
    const broken = link.ended.then(() => {
      if (!signal.aborted) throw new ConvergenceError('closed', `the link to ${window.to} broke`);
    });
    broken.catch(() => undefined);
    try {
      while (!signal.aborted) {
        const woken = this.#woken.promise;
        const waiting = await this.outbox.next(window, UNDER_WAY_MAX, refused);
        const sending = waiting.map((one) => this.#send(link, one, window, refused));
        await Promise.race([Promise.all(sending), broken]);
        if (waiting.length === 0) await Promise.race([this.#idle(window, signal, woken), broken]);
      }
    } finally {
      await link.end();
    }
  }

  #idle({ endMs }: Window, signal: AbortSignal, woken: Promise<null>): Promise<void> {
    return this.#sleep(Math.min(POLL_MS, endMs - this.timers.now()), signal, woken);
  }

  async #send(
    link: Link,
    { key, content }: Outgoing,
    window: Window,
    refused: Set<string>,
  ): Promise<void> {
    try {
      await link.send(content);
    } catch (error) {
      const isOwn = error instanceof ConvergenceError;
      if (!isOwn || (error.code !== 'refused' && error.code !== 'too_large')) throw error;
      refused.add(key);
      return;
    }
    await this.outbox.forwarded(key, window);
  }
}
