/** A row and its cosine with the query. */
export interface ScoredRow {
  readonly row: number;
  readonly score: number;
}

/**
 * The best rows of a search: a heap with the worst of them on top. Of equal scores the row that
 * `before` puts first is better, so the order of arrival does not matter.
 */
export class TopList {
  readonly #rows: number[] = [];
  readonly #scores: number[] = [];

  constructor(
    private readonly size: number,
    private readonly before: (one: number, other: number) => boolean = (one, other) => one < other,
  ) {}

  get length(): number {
    return this.#rows.length;
  }

  get isFull(): boolean {
    return this.#rows.length >= this.size;
  }

  /** Of the worst row; nothing below it is taken once the list is full. */
  get leastScore(): number {
    return this.#scores[0] ?? -Infinity;
  }

  add(row: number, score: number): void {
    if (this.#rows.length < this.size) {
      this.#rows.push(row);
      this.#scores.push(score);
      this.#rise(this.#rows.length - 1);
    } else if (this.#isWorse(this.#rowAt(0), this.#scoreAt(0), row, score)) {
      this.#rows[0] = row;
      this.#scores[0] = score;
      this.#sink();
    }
  }

  /** The best first. */
  sorted(): ScoredRow[] {
    return this.#rows
      .map((row, at) => ({ row, score: this.#scoreAt(at) }))
      .sort((one, other) => (this.#isWorse(one.row, one.score, other.row, other.score) ? 1 : -1));
  }

  #isWorse(row: number, score: number, otherRow: number, otherScore: number): boolean {
    return score === otherScore ? this.before(otherRow, row) : score < otherScore;
  }

  #rowAt(at: number): number {
    return this.#rows[at] ?? -1;
  }

  #scoreAt(at: number): number {
    return this.#scores[at] ?? -Infinity;
  }

  #worseOf(one: number, other: number): boolean {
    return this.#isWorse(
      this.#rowAt(one),
      this.#scoreAt(one),
      this.#rowAt(other),
      this.#scoreAt(other),
    );
  }

  #swap(one: number, other: number): void {
    const [row, score] = [this.#rowAt(one), this.#scoreAt(one)];
    this.#rows[one] = this.#rowAt(other);
    this.#scores[one] = this.#scoreAt(other);
    this.#rows[other] = row;
    this.#scores[other] = score;
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#worseOf(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let worst = at;
      if (left < this.#rows.length && this.#worseOf(left, worst)) worst = left;
      if (right < this.#rows.length && this.#worseOf(right, worst)) worst = right;
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }
}
