import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseGgufHeader } from '../language-model/gguf.header.js';
import { HALF, storedAs } from '../llama-layers/formats/stored-as.fixture.js';
import { EMBEDDING, readLlamaHeader } from '../llama-layers/model/llama.header.js';
import { readWeights } from '../llama-layers/model/weights.js';
import { type QuantizationOrder } from './quantization.protocol.js';
import { type Measured, type Quantized, quantize } from './quantize.js';

const fileOf = (file: string): string =>
  fileURLToPath(new URL(`../../../models/${file}`, import.meta.url));

const order: QuantizationOrder = {
  modelFile: fileOf('mini-draft.gguf'),
  originalFile: fileOf('mini-draft.gguf'),
  name: 'ada/draft-4',
  coding: 'Q4_0',
  budgetBytes: null,
  kernel: 'add_subtract',
  text: readFileSync(fileOf('corpora/quipu-held-out.txt'), 'utf8').slice(0, 2_400),
  known: { baseline: null, sensitivities: [] },
};

const embeddingIn = async (file: string): Promise<Float32Array | undefined> => {
  const header = await readLlamaHeader(file);
  return (await readWeights(file, header, { first: 0, last: 0 })).get(EMBEDDING);
};

interface Run extends Quantized {
  readonly steps: readonly Measured[];
}

const run = async (changes: Partial<QuantizationOrder> = {}): Promise<Run> => {
  const steps: Measured[] = [];
  const measuring = quantize({ ...order, ...changes });
  for (;;) {
    const next = await measuring.next();
    if (next.done === true) return { steps, ...next.value };
    steps.push(next.value);
  }
};

describe('quantization', () => {
  let whole: Run;

  beforeAll(async () => {
    whole = await run();
  });

  it('measures each matrix on its own, and the whole before and after', () => {
    const { report, steps } = whole;
    expect(steps.map(({ done }) => done)).toEqual(steps.map((_, at) => at + 1));
    expect(steps.at(-1)?.total).toBe(10);
    const measured = report.tensors.filter((one) => one.divergenceNatsPerToken !== null);
    expect(measured.map(({ tensor }) => tensor)).toContain('token_embd.weight');
    expect(measured.every((one) => (one.divergenceNatsPerToken ?? -1) > 0)).toBe(true);
    expect(report.quantized.tokens).toBe(report.baseline.tokens);
    expect(report.quantized.nats).not.toBe(report.baseline.nats);
  });

  it('counts the bytes that the file has', () => {
    const { report, parts } = whole;
    const file = Buffer.concat(parts);
    const { metadata, tensors, dataStart } = parseGgufHeader(file);
    expect(metadata.get('general.name')).toBe('ada/draft-4');
    expect(metadata.get('llama.block_count')).toBe(1);
    expect(tensors).toHaveLength(report.tensors.length);
    // Between tensors there are up to 31 bytes.
    expect(file.length - dataStart - report.quantizedBytes).toBeLessThan(32 * tensors.length);
    expect(report.originalBytes).toBe(4 * report.parameters);
  });

  it('continues behind its measurements, to the same bytes', async () => {
    const { measurements } = whole.steps[3] ?? { measurements: order.known };
    const rest = await run({ known: measurements });
    expect(rest.steps).toHaveLength(whole.steps.length - 4);
    expect(rest.report).toEqual(whole.report);
    expect(Buffer.concat(rest.parts)).toEqual(Buffer.concat(whole.parts));
  });

  it('mixes codings under a budget, better than the smallest one', async () => {
    const budgetBytes = 350_000;
    const { report } = await run({ budgetBytes });
    expect(report.quantizedBytes).toBeLessThanOrEqual(budgetBytes);
    expect(report.quantizedBytes).toBeGreaterThan(0.9 * budgetBytes);
    expect(new Set(report.tensors.map(({ format }) => format)).size).toBeGreaterThan(2);
  });

  it('rejects a budget that nothing fits, before it measures', async () => {
    await expect(run({ budgetBytes: 100_000 })).rejects.toMatchObject({
      code: 'budget_too_small',
    });
  });

  it('loses much with ternary weights, and says so', async () => {
    const { report } = await run({ coding: 'BITNET' });
    expect(report.quantized.nats / report.baseline.nats).toBeGreaterThan(1.2);
    const kept = report.tensors.filter(({ format }) => format === 'F32');
    expect(kept.map(({ tensor }) => tensor)).toContain('token_embd.weight');
  });

  it('gives the same losses with both kernels', async () => {
    const known = (await run({ coding: 'BITNET' })).steps.at(-1)?.measurements ?? order.known;
    const [one, other] = await Promise.all([
      run({ coding: 'BITNET', known, kernel: 'multiply' }),
      run({ coding: 'BITNET', known, kernel: 'add_subtract' }),
    ]);
    expect(other.report.quantized).toEqual(one.report.quantized);
    expect(other.report.energySavingPct).toBeGreaterThan(one.report.energySavingPct);
  });

  it('keeps 16-bit floats where it keeps a tensor, and counts their bytes', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-half-'));
    try {
      const modelFile = path.join(folder, 'half.gguf');
      await writeFile(modelFile, await storedAs(order.modelFile, HALF));
      const sensitivities = whole.report.tensors
        .filter(({ tensor, format }) => tensor.startsWith('blk.') && format !== 'F32')
        .map(({ tensor }) => ({ tensor, coding: 'BITNET', nats: 1 }) as const);
      const { report, parts } = await run({
        modelFile,
        originalFile: modelFile,
        coding: 'BITNET',
        known: { baseline: null, sensitivities },
      });
      const float32 = whole.report;
      expect(report.originalBytes / float32.originalBytes).toBeCloseTo(0.5, 2);
      expect(report.baseline.nats / float32.baseline.nats).toBeCloseTo(1, 3);
      const embedding = report.tensors.find(({ tensor }) => tensor === 'token_embd.weight');
      expect(embedding).toMatchObject({ format: 'F16', bytes: embedding?.originalBytes });
      const original = await embeddingIn(modelFile);
      const quantized = path.join(folder, 'quantized.gguf');
      await writeFile(quantized, Buffer.concat(parts));
      expect(await embeddingIn(quantized)).toEqual(original);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('rejects a text without enough tokens', async () => {
    await expect(run({ text: 'short' })).rejects.toMatchObject({ code: 'text_too_short' });
  });
});
