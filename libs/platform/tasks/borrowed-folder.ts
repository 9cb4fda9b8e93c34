import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** A copy that is unused for longer is removed, though there is room. */
const UNUSED_MS = 86_400_000;

interface Copy {
  readonly name: string;
  readonly bytes: number;
  readonly usedMs: number;
}

/**
 * Removes copies: those unused for a day, and then, until the others fit, the longest unused ones.
 * @param kept digests of copies that stay, finished or not
 */
export const tidy = async (
  folder: string,
  bytesMax: number,
  kept: ReadonlySet<string>,
): Promise<void> => {
  const copies = await copiesIn(folder);
  const sinceMs = Date.now() - UNUSED_MS;
  let bytes = 0;
  for (const copy of copies.toSorted((one, other) => other.usedMs - one.usedMs)) {
    bytes += copy.bytes;
    const [digest = '', unfinished] = copy.name.split('.');
    const isOver = bytes > bytesMax || copy.usedMs < sinceMs || unfinished !== undefined;
    if (!isOver || kept.has(digest)) continue;
    bytes -= copy.bytes;
    await rm(path.join(folder, copy.name), { force: true });
  }
};

/** A copy that goes meanwhile is none. */
const copiesIn = async (folder: string): Promise<readonly Copy[]> => {
  const names = await readdir(folder).catch(() => []);
  const copies = await Promise.all(
    names.map(async (name) => {
      const found = await stat(path.join(folder, name)).catch(() => null);
      return found?.isFile() ? [{ name, bytes: found.size, usedMs: found.mtimeMs }] : [];
    }),
  );
  return copies.flat();
};
