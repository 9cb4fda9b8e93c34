import type { FromChild } from '#engines/language-model/language-model.protocol.js';

/**
 * Letters to the engine, several in one message: a small model makes a token in less time than two
 * processes take for a message. The first delta after a pause leaves at once, and so does an end.
 */
export class Outbox {
  private readonly post: (letters: readonly FromChild[]) => void;
  private readonly gatherMs: number;
  private letters: FromChild[] = [];
  private postedAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private isLeaving = false;

  constructor(post: (letters: readonly FromChild[]) => void, gatherMs: number) {
    this.post = post;
    this.gatherMs = gatherMs;
  }

  put(letter: FromChild): void {
    this.letters.push(letter);
    if (this.isLeaving) return;
    const waitMs = this.postedAt + this.gatherMs - performance.now();
    if (letter.type !== 'delta' || waitMs <= 0) this.leaveWithThisTurn();
    else this.timer ??= setTimeout(() => this.flush(), waitMs);
  }

  /** The tokens of one batch come in one turn. */
  private leaveWithThisTurn(): void {
    this.isLeaving = true;
    setImmediate(() => this.flush());
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isLeaving = false;
    this.postedAt = performance.now();
    const { letters } = this;
    this.letters = [];
    if (letters.length > 0) this.post(letters);
  }
}
