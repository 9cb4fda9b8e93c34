/**
 * Trains the adapters of the built-in model and writes `models/adapters`.
 *
 *   npm run models:train -- adapters[/SLUG] [--python PROGRAM] [--out FOLDER]
 *
 * The program is a Python with the packages of `requirements.txt`; each adapter takes seconds on
 * one core. Why PyTorch: `decisions/0001-adapters-by-pytorch.md`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bytePairTokenizer } from '../byte-pair.tokenizer.js';
import { readGguf } from '#engines/training/files/gguf.js';
import { ADAPTER_TASKS } from './adapter.tasks.js';
import { GAIN_MIN } from './adapter.recipe.js';
import { readTrained, type TrainedAdapter, writeBase, writeTask } from './adapter.work.js';
import { writeShipped } from './shipped.adapters.js';

const BASE_FILE = 'models/nano.gguf';
/** Relative to the repository: the build copies no Python. */
const PROGRAM = 'tools/models/adapters/train_adapters.py';

export interface TrainingOptions {
  /** One slug; null: all. */
  readonly slug: string | null;
  readonly python: string;
  readonly out: string;
}

/** @throws Error for an unknown slug, and when the program fails */
export const trainAdapters = async ({ slug, python, out }: TrainingOptions): Promise<void> => {
  const tasks = ADAPTER_TASKS.filter((task) => slug === null || task.slug === slug);
  if (tasks.length === 0) throw new Error(`no adapter has the slug ${slug}`);
  const work = await mkdtemp(path.join(tmpdir(), 'quipu-adapters-'));
  try {
    const bytes = await readFile(BASE_FILE);
    const base = readGguf(bytes);
    const tokenizer = bytePairTokenizer(base.vocabulary);
    await writeBase(work, base);
    for (const task of tasks) await writeTask(work, task, tokenizer);
    await runTrainer(python, work);
    const trained = await Promise.all(tasks.map((task) => readTrained(work, task, tokenizer)));
    for (const one of trained.filter((adapter) => !gains(adapter))) {
      process.stdout.write(`${one.task.slug} does not gain enough and is not shipped\n`);
    }
    await mkdir(out, { recursive: true });
    const baseSha256 = createHash('sha256').update(bytes).digest('hex');
    await writeShipped(out, baseSha256, trained.filter(gains));
  } finally {
    await rm(work, { recursive: true });
  }
};

/** Better than the base, and than knowing how often each token occurs. */
const gains = ({ figures }: TrainedAdapter): boolean =>
  figures.baseHeldOutLoss - figures.heldOutLoss >= GAIN_MIN &&
  figures.heldOutLoss < figures.frequencyHeldOutLoss;

const runTrainer = async (python: string, work: string): Promise<void> => {
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  const child = spawn(python, [path.join(root, PROGRAM), work], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the trainer ended with ${code}`);
};
