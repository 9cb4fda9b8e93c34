/**
 * Which records of a partition are done. They are finished in any order, since keys are handled
 * concurrently, and committed in theirs: never past one that is not done.
 */
export class PartitionOffsets {
  /** In order, from the first that is not done. */
  #taken: bigint[] = [];
  readonly #finished = new Set<bigint>();
  #next: bigint | null = null;

  /** @returns false for a record that was taken before: a new assignment brings some again */
  take(offset: bigint): boolean {
    if (this.#next !== null && offset < this.#next) return false;
    this.#next = offset + 1n;
    this.#taken.push(offset);
    return true;
  }

  finish(offset: bigint): void {
    this.#finished.add(offset);
    if (this.#taken[0] !== offset) return;
    let done = 0;
    for (const taken of this.#taken) {
      if (!this.#finished.delete(taken)) break;
      done += 1;
    }
    this.#taken.splice(0, done);
  }

  /** The first record that is not done; null while none was taken. */
  get committable(): bigint | null {
    return this.#taken[0] ?? this.#next;
  }

  /** Records from the first that is not done on; after a crash they all come again. */
  get open(): number {
    return this.#taken.length;
  }
}
