/**
 * Applies deltas beside Debian's xdelta3 and bspatch: `npm run delta -- [MiB]`. CPU time
 * counts, since the machine may be shared; a round of each, in turns, and the best of three.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyDelta } from '../../libs/platform/delta/apply-delta.js';

const MIB = 1_024 ** 2;
const MIB_DEFAULT = 64;
/** `bsdiff` needs 17 times the base in memory to make a patch. */
const BSDIFF_MIB_MAX = 32;
const ROUNDS = 3;
const EDIT_EVERY = 20_000;
const MICROS_PER_SECOND = 1e6;

/** Every 20,000 bytes a few are inserted, dropped or changed. */
const edited = (base: Buffer): Buffer => {
  const pieces: Buffer[] = [];
  for (let at = 0, edit = 0; at < base.length; at += EDIT_EVERY, edit += 1) {
    const dropped = edit % 3 === 0 ? 30 : 0;
    pieces.push(base.subarray(at + dropped, at + EDIT_EVERY));
    if (edit % 3 === 1) pieces.push(randomBytes(40));
  }
  return Buffer.concat(pieces);
};

interface Files {
  readonly base: string;
  readonly delta: string;
  readonly result: string;
}

/** The CPU time of children that have ended, in microseconds. */
const childMicros = (run: () => void): number => {
  const before = childTimes();
  run();
  return childTimes() - before;
};

const childTimes = (): number => {
  // The kernel adds the time of ended children to fields 16 and 17, in ticks of 10 ms.
  const stat = readFileSync(`/proc/${process.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10_000;
};

const ownMicros = (run: () => void): number => {
  const since = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(since);
  return user + system;
};

const digestOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

const measure = async (
  name: string,
  files: Files,
  bytes: number,
  runs: Readonly<Record<string, () => number>>,
): Promise<void> => {
  const best = new Map<string, number>();
  const digests = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [who, run] of Object.entries(runs)) {
      await rm(files.result, { force: true });
      const micros = Math.max(run(), 1);
      digests.add(await digestOf(files.result));
      best.set(who, Math.min(best.get(who) ?? Infinity, micros));
    }
  }
  if (digests.size !== 1) throw new Error(`${name}: the results differ`);
  const speeds = [...best].map(([who, micros]) => {
    const speed = (bytes / MIB / micros) * MICROS_PER_SECOND;
    return `${who} ${speed.toFixed(0)} MiB a CPU second`;
  });
  const size = (await readFile(files.delta)).length;
  const part = ((100 * size) / bytes).toFixed(2);
  process.stdout.write(`${name}: ${speeds.join(', ')}; the delta is ${part} % of the file\n`);
};

const ours = (files: Files, scratch: string) => (): number =>
  ownMicros(() => {
    applyDelta({ ...files, scratch, resultBytesMax: Number.MAX_SAFE_INTEGER, withMd5: false });
  });

const mib = Number(process.argv[2] ?? MIB_DEFAULT);
const folder = await mkdtemp(path.join(tmpdir(), 'delta-bench-'));
try {
  const at = (name: string): string => path.join(folder, name);
  const files = { base: at('base'), delta: at('delta'), result: at('result') };
  const { base, delta, result } = files;
  const write = async (size: number): Promise<number> => {
    const content = randomBytes(size);
    const changed = edited(content);
    await writeFile(base, content);
    await writeFile(at('changed'), changed);
    return changed.length;
  };
  const ofXdelta = await write(mib * MIB);
  execFileSync('xdelta3', ['-e', '-S', 'none', '-s', base, at('changed'), delta]);
  await measure(`VCDIFF of ${mib} MiB`, files, ofXdelta, {
    quipu: ours(files, folder),
    xdelta3: () =>
      childMicros(() => execFileSync('xdelta3', ['-d', '-f', '-s', base, delta, result])),
  });
  const small = Math.min(mib, BSDIFF_MIB_MAX);
  const ofBsdiff = await write(small * MIB);
  execFileSync('bsdiff', [base, at('changed'), delta]);
  await measure(`BSDIFF40 of ${small} MiB`, files, ofBsdiff, {
    quipu: ours(files, folder),
    bspatch: () => childMicros(() => execFileSync('bspatch', [base, result, delta])),
  });
} finally {
  await rm(folder, { recursive: true });
}
