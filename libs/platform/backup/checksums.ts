import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { BackupError } from './backup.error.js';

const LINE = /^([0-9a-f]{64}) {2}([\w./-]+)$/;

export interface Checksum {
  readonly sha256: string;
  /** Relative to the folder of the backup. */
  readonly name: string;
}

export const sha256Of = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file) as AsyncIterable<Uint8Array>) hash.update(piece);
  return hash.digest('hex');
};

/** Writes checksums as `sha256sum` does, one at a time: there may be millions of blobs. */
export class ChecksumWriter {
  readonly #stream;

  constructor(file: string) {
    this.#stream = createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true });
  }

  async add({ sha256, name }: Checksum): Promise<void> {
    if (!this.#stream.write(`${sha256}  ${name}\n`)) await once(this.#stream, 'drain');
  }

  async close(): Promise<void> {
    this.#stream.end();
    await finished(this.#stream);
  }
}

/** @throws BackupError `not_a_backup` for a line that is no checksum */
export async function* readChecksums(file: string): AsyncGenerator<Checksum> {
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Infinity,
  })) {
    const [, sha256, name] = LINE.exec(line) ?? [];
    if (sha256 === undefined || name === undefined || name.split('/').includes('..')) {
      throw new BackupError('not_a_backup', `${file} has a line that is no checksum: ${line}`);
    }
    yield { sha256, name };
  }
}
