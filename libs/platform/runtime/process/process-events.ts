type Reaction<Details extends readonly unknown[]> = (...details: Details) => Promise<void>;

/**
 * Events in the life of a process. Areas subscribe in their life-cycle hooks; the process reports
 * the events and names no area.
 */
export class ProcessEvents {
  readonly #onListening: Reaction<[url: string]>[] = [];
  readonly #onReload: Reaction<[]>[] = [];
  readonly #onDrain: Reaction<[ms: number]>[] = [];

  /** Once, when callers can connect; the URL has the port that the system chose, if it did. */
  onListening(reaction: (url: string) => Promise<void>): void {
    this.#onListening.push(reaction);
  }

  /** On SIGHUP: configuration files are read again. */
  onReload(reaction: () => Promise<void>): void {
    this.#onReload.push(reaction);
  }

  /** When the process is about to stop. `ms`: the time that its current work may take to end. */
  onDrain(reaction: (ms: number) => Promise<void>): void {
    this.#onDrain.push(reaction);
  }

  /** Resolves when every reaction has. @throws the error of the first one that failed */
  async listening(url: string): Promise<void> {
    await Promise.all(this.#onListening.map((reaction) => reaction(url)));
  }

  /** Resolves when every reaction has. @throws the error of the first one that failed */
  async drain(ms: number): Promise<void> {
    await Promise.all(this.#onDrain.map((reaction) => reaction(ms)));
  }

  /** Resolves when every reaction has. @throws the error of the first one that failed */
  async reload(): Promise<void> {
    await Promise.all(this.#onReload.map((reaction) => reaction()));
  }
}
