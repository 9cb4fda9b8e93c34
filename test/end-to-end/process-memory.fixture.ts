import { open, readFile, readdir } from 'node:fs/promises';

/** Read at a time; a canary that straddles two parts is found by the overlap. */
const PART_BYTES = 8 * 1024 * 1024;
const OVERLAP_BYTES = 1_024;

interface Region {
  readonly from: number;
  readonly to: number;
}

/** The regions that a process may write: its heaps, stacks and buffers. */
const regionsOf = async (pid: number): Promise<readonly Region[]> =>
  (await readFile(`/proc/${pid}/maps`, 'utf8')).split('\n').flatMap((line) => {
    const [range = '', access = '', , , , file = ''] = line.split(/\s+/);
    if (!access.startsWith('rw') || file.startsWith('[v')) return [];
    const [from = NaN, to = NaN] = range.split('-').map((address) => Number.parseInt(address, 16));
    return [{ from, to }];
  });

/**
 * The canaries that the memory of a process has, as UTF-8 or as two-byte characters, which V8 uses
 * for some texts. Linux; the process is a child of this one.
 */
export const canariesInMemory = async (
  pid: number,
  canaries: readonly string[],
): Promise<readonly string[]> => {
  const found = new Set<string>();
  const memory = await open(`/proc/${pid}/mem`);
  try {
    for (const { from, to } of await regionsOf(pid)) {
      for (let at = from; at < to; at += PART_BYTES - OVERLAP_BYTES) {
        const part = Buffer.alloc(Math.min(PART_BYTES, to - at));
        // A region may be gone by now, or have a part that was never touched.
        const { bytesRead } = await memory.read(part, 0, part.length, at).catch(() => ({
          bytesRead: 0,
        }));
        const read = part.subarray(0, bytesRead);
        for (const canary of canaries) {
          const texts = [Buffer.from(canary, 'utf8'), Buffer.from(canary, 'utf16le')];
          if (texts.some((text) => read.includes(text))) found.add(canary);
        }
      }
    }
  } finally {
    await memory.close();
  }
  return canaries.filter((canary) => found.has(canary));
};

/** The processes that a process has started. */
export const childrenOf = async (pid: number): Promise<readonly number[]> => {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
};
