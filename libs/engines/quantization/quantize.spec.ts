import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseGgufHeader } from '../language-model/gguf.header.js';
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

  it('rejects a text without enough tokens', async () => {
    await expect(run({ text: 'short' })).rejects.toMatchObject({ code: 'text_too_short' });
  });
});
