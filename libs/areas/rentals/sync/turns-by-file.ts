/** Work on one file waits for the work on it that came before, in this process. */
export class TurnsByFile {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<Answer>(file: string, work: () => Promise<Answer>): Promise<Answer> {
    const before = this.#last.get(file) ?? Promise.resolve();
    const mine = before.then(work);
    const settled = mine.catch(() => undefined);
    this.#last.set(file, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(file) === settled) this.#last.delete(file);
    }
  }
}
