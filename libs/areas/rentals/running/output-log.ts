import { open, type FileHandle } from 'node:fs/promises';

/** The most bytes that are kept of the output of a rental. */
export const LOG_BYTES_MAX = 16 * 1_024 ** 2;

/** Appends the output of a rental to its log, in order, up to a limit. */
export class OutputLog {
  #bytes: number;
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly handle: FileHandle,
    bytes: number,
    private readonly bytesMax: number,
  ) {
    this.#bytes = bytes;
  }

  static async open(file: string, bytesMax = LOG_BYTES_MAX): Promise<OutputLog> {
    const handle = await open(file, 'a', 0o600);
    const { size } = await handle.stat();
    return new OutputLog(handle, size, bytesMax);
  }

  /** Drops what is above the limit; the log says so. A disk that is full drops it, too. */
  append(piece: Buffer): void {
    if (this.#bytes >= this.bytesMax) return;
    const kept = piece.subarray(0, this.bytesMax - this.#bytes);
    this.#write(kept);
    if (this.#bytes >= this.bytesMax) {
      this.#write(Buffer.from(`\n[quipu] the log has ${this.bytesMax} bytes and is full\n`));
    }
  }

  /** A line of Quipu's own, whatever the size of the log. */
  note(line: string): void {
    this.#write(Buffer.from(`[quipu] ${line}\n`));
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.handle.close();
  }

  #write(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#writing = this.#writing.then(async () => {
      await this.handle.write(piece).catch(() => undefined);
    });
  }
}
