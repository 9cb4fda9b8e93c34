import { type Position, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type SubscriptionHandler } from './subscription-handler.js';

export interface WalkOptions {
  /** The handler has handled everything up to here. */
  readonly after: Position;
  /** Ends the walk of this handler, after the page that it handles. */
  readonly signal: AbortSignal;
  /** Receives the position behind each page that the handler has handled. */
  readonly onPage: (position: Position) => void;
}

/** One handler of the walk, and the events of the page that it has not handled yet. */
export class Walker {
  /** Settles when the handler leaves the walk. */
  readonly ended: Promise<unknown>;
  /** An event is damaged: it walks alone, because it may not read that one. */
  isAlone = false;
  position: Position;
  readonly #handler: SubscriptionHandler;
  readonly #options: WalkOptions;
  readonly #end = Promise.withResolvers<undefined>();
  #waiting: RecordedEvent[] = [];
  /** It was offered every event of the pass that it reads. */
  #isInPass = false;
  #isHandling = false;
  #isOver = false;

  constructor(handler: SubscriptionHandler, options: WalkOptions) {
    this.#handler = handler;
    this.#options = options;
    this.position = options.after;
    this.ended = this.#end.promise;
    const { signal } = options;
    const onAbort = (): void => {
      if (!this.#isHandling) this.#leave();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.ended.catch(() => undefined).finally(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) this.#leave();
  }

  get types(): readonly string[] {
    return this.#handler.types;
  }

  /** Whether it can begin a pass, or take the next page of its pass. */
  get isFree(): boolean {
    return !this.#isHandling && !this.#isOver;
  }

  /** A pass offers it the events after its position. */
  begin(): void {
    this.#waiting = [];
    this.#isInPass = true;
  }

  add(event: RecordedEvent): void {
    if (this.#isInPass && event.position > this.position) this.#waiting.push(event);
  }

  /** Handles the added events. Everything up to `position` was offered. Never rejects. */
  async hand(position: Position): Promise<void> {
    if (!this.#isInPass || !this.isFree || position <= this.position) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#isHandling = true;
    try {
      await this.#handler.handle({ events, position, caughtUp: false });
      this.position = position;
      this.#options.onPage(position);
    } catch (error) {
      this.fail(error);
    }
    this.#isHandling = false;
    if (this.#options.signal.aborted) this.#leave();
  }

  /** The pass continues, also if this handler has not handled its page. */
  goOn(): void {
    this.#isInPass = this.isFree;
  }

  /** The pass has caught up with the log. */
  caughtUp(): void {
    if (this.#isInPass) this.#leave();
  }

  fail(error: unknown): void {
    this.#isOver = true;
    this.#end.reject(error);
  }

  #leave(): void {
    this.#isOver = true;
    this.#end.resolve(undefined);
  }
}
