import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes a file that is there as a whole or not at all. */
export const writeWhole = async (
  content: Readable,
  file: string,
  signal: AbortSignal,
): Promise<void> => {
  const fresh = `${file}.${process.pid}`;
  try {
    await pipeline(content, createWriteStream(fresh), { signal });
    await rename(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
};
