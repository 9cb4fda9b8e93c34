import { type FileHandle, open } from 'node:fs/promises';

interface Waiter {
  readonly record: string;
  readonly durable: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * An append-only file of lines. One write and one `fdatasync` are under way at a time; whatever
 * arrives meanwhile goes down together in the next pair.
 */
export class GroupCommitJournal {
  #waiting: Waiter[] = [];
  #flushing = false;

  private constructor(private readonly file: FileHandle) {}

  static async open(path: string): Promise<GroupCommitJournal> {
    return new GroupCommitJournal(await open(path, 'a'));
  }

  /** Resolves once the record would survive a power loss. */
  append(record: string): Promise<void> {
    return new Promise((durable, failed) => {
      this.#waiting.push({ record, durable, failed });
      if (!this.#flushing) void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    this.#flushing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.file.appendFile(batch.map(({ record }) => `${record}\n`).join(''));
        await this.file.datasync();
        for (const { durable } of batch) durable();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#flushing = false;
  }
}
