import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { quantizationEngine } from '#areas/quantization/quantization.engine.js';
import {
  type QuantizationPiece,
  type QuantizationTask,
} from '#areas/quantization/quantization.task.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { handOver, type TaskFile } from '#platform/tasks/task-file.js';
import { type Gateway, Fleet, SHIPPED_MODELS } from './worker.fixture.js';

const DRAFT = path.join(SHIPPED_MODELS, 'mini-draft.gguf');
const CORPORA = path.join(SHIPPED_MODELS, 'corpora');
/** Parts of the texts are read faster. */
const TEXT_LENGTH = 2_400;
const LINES = 40;
const STEPS = 4;
const never = new AbortController().signal;

/** Of the matrices in the order of the file: the training is tested, and no measurement. */
const KNOWN: QuantizationTask['known'] = {
  baseline: { tokens: 1, nats: 1 },
  sensitivities: [
    'attn_q',
    'attn_k',
    'attn_v',
    'attn_output',
    'ffn_gate',
    'ffn_up',
    'ffn_down',
  ].map((matrix) => ({ tensor: `blk.0.${matrix}.weight`, coding: 'BITNET', nats: 1 })),
};

describe('a quantization that trains, on workers that share nothing but the bus', () => {
  let fleet: Fleet;
  let gateway: Gateway;
  let folder: string;
  let text: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-quantized-'));
    fleet = new Fleet(createInProcessBus());
    gateway = fleet.gateway('gateway-1', { hedgeMs: 60_000 });
    const heldOut = await readFile(path.join(CORPORA, 'quipu-held-out.txt'), 'utf8');
    text = heldOut.slice(0, TEXT_LENGTH);
    const corpus = await readFile(path.join(CORPORA, 'quipu.jsonl'), 'utf8');
    const lines = corpus.split('\n').slice(0, LINES - 1);
    const last = JSON.stringify({
      text: 'Every balance is the fold of its events.',
      heldOut: true,
    });
    await writeFile(path.join(folder, 'learned.jsonl'), [...lines, last].join('\n'));
  });

  afterAll(async () => {
    await fleet.close();
    await rm(folder, { recursive: true });
  });

  const lent = async (file: string): Promise<TaskFile> => {
    const sha256 = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    return handOver(gateway.tasks, { file, sha256 });
  };

  const taskOf = async (checkpoint: TaskFile | null): Promise<QuantizationTask> => ({
    model: await lent(DRAFT),
    name: '7/draft-ternary',
    coding: 'BITNET',
    budgetBytes: null,
    kernel: 'add_subtract',
    text,
    training: {
      text: await lent(path.join(folder, 'learned.jsonl')),
      steps: STEPS,
      learningRate: 1e-3,
      seed: 1,
      checkpoint,
    },
    known: KNOWN,
  });

  /** @param onCheckpoint after the first whole one */
  const run = async (
    task: QuantizationTask,
    onCheckpoint = (): Promise<void> => Promise.resolve(),
  ): Promise<Buffer> => {
    const file: Buffer[] = [];
    const state: Buffer[] = [];
    let isKept = false;
    const take = async (piece: QuantizationPiece): Promise<void> => {
      if ('file' in piece) file.push(Buffer.from(piece.file.content, 'base64'));
      if (!('checkpoint' in piece) || isKept) return;
      state.push(Buffer.from(piece.checkpoint.content, 'base64'));
      if (!piece.checkpoint.isLast) return;
      isKept = true;
      await writeFile(path.join(folder, 'state'), Buffer.concat(state));
      await onCheckpoint();
    };
    for await (const piece of gateway.tasks.run(quantizationEngine, task, never)) await take(piece);
    return Buffer.concat(file);
  };

  it('copies its files, and ends on another worker with the same bytes', async () => {
    const options = { engines: [quantizationEngine], drainSeconds: 0 };
    const first = await fleet.worker('worker-1', options);
    const whole = await run(await taskOf(null));
    expect(whole.subarray(0, 4).toString()).toBe('GGUF');
    const lost = run(await taskOf(null), () => first.stop());
    await expect(lost).rejects.toMatchObject({ name: 'TaskError' });
    await fleet.worker('worker-2', options);
    const state = await lent(path.join(folder, 'state'));
    const rest = await run(await taskOf(state));
    expect(rest.equals(whole)).toBe(true);
  });
});
