import type {
  DeltaLetter,
  FinishReason,
  FromChild,
} from '#engines/language-model/language-model.protocol.js';

/** One generation as the child keeps it: what its reader has taken, and whether it is over. */
export class Job {
  readonly id: number;
  private readonly unreadMax: number;
  private readonly send: (letter: FromChild) => void;
  private readonly cancelling = new AbortController();
  /** Choices that have reached a stop string of the reader. */
  private readonly stopped = new Set<number>();
  private unread = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(id: number, unreadMax: number, send: (letter: FromChild) => void) {
    this.id = id;
    this.unreadMax = unreadMax;
    this.send = send;
  }

  get signal(): AbortSignal {
    return this.cancelling.signal;
  }

  isOver(choice: number): boolean {
    return this.signal.aborted || this.stopped.has(choice);
  }

  hasRead(deltas: number): void {
    this.unread -= deltas;
    this.wake();
  }

  stop(choice: number): void {
    this.stopped.add(choice);
    this.wake();
  }

  cancel(): void {
    this.cancelling.abort();
    this.wake();
  }

  /** Sends a delta once the reader is not too far behind. */
  async deliver(delta: Omit<DeltaLetter, 'type' | 'id'>): Promise<void> {
    while (this.unread >= this.unreadMax && !this.isOver(delta.choice)) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    if (this.isOver(delta.choice)) return;
    this.unread += 1;
    this.send({ type: 'delta', id: this.id, ...delta });
  }

  promptRead(promptTokens: number, stopTexts: readonly string[], swap: object): void {
    this.send({ type: 'prompt', id: this.id, promptTokens, stopTexts, ...swap });
  }

  ended(choice: number, completionTokens: number, finishReason: FinishReason): void {
    this.send({ type: 'ended', id: this.id, choice, completionTokens, finishReason });
  }

  private wake(): void {
    for (const resume of this.waiting.splice(0)) resume();
  }
}
