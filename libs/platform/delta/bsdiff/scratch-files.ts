import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Temporary files in a folder of their own. */
export class ScratchFiles {
  readonly #folder: string;
  readonly #open: number[] = [];

  /** @param parent an existing folder */
  constructor(parent: string) {
    this.#folder = mkdtempSync(join(parent, 'delta-'));
  }

  /** A new file, open for reading and writing until `close`. */
  create(name: string): number {
    const fd = openSync(join(this.#folder, name), 'wx+', 0o600);
    this.#open.push(fd);
    return fd;
  }

  /** Closes and removes them all. */
  close(): void {
    for (const fd of this.#open.splice(0)) closeSync(fd);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
