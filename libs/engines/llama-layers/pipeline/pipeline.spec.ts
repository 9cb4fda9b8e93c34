/** Stages in processes of their own, on real WebSockets, against the same layers in one piece. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LayerStack } from '../model/layer-stack.js';
import { readLlamaHeader } from '../model/llama.header.js';
import { LocalRun } from '../run/local-run.js';
import { type LayerRun } from '../run/layer-run.js';
import { NANO, withPipeline } from './pipeline.fixture.js';

/** A prompt in two pieces, and tokens one by one. */
const STEPS = [[1278, 72, 300, 41], [5, 17, 600], [81], [900], [12], [44], [77], [500]];

const hexOf = (logits: Float32Array | null): string =>
  Buffer.from(logits?.buffer ?? new ArrayBuffer()).toString('hex');

/** The logits of every step, in hex. */
const trace = async (run: LayerRun, after?: (step: number) => void): Promise<string[]> => {
  const seen: string[] = [];
  for (const [at, step] of STEPS.entries()) {
    seen.push(hexOf(await run.advance(Int32Array.from(step), true)));
    after?.(at);
  }
  return seen;
};

describe('a pipeline', () => {
  let stack: LayerStack;
  let expected: readonly string[];

  beforeAll(async () => {
    stack = await LayerStack.load(NANO, await readLlamaHeader(NANO));
    expected = await trace(new LocalRun(stack));
  });

  afterAll(() => stack.dispose());

  it.each([1, 2, 4])('gives the bits of the whole model with %i stages', async (stages) => {
    await withPipeline({ stages }, async (pipeline) => {
      const run = pipeline.run();
      expect(await trace(run)).toEqual(expected);
      const report = await run.end();
      expect(report.failovers).toBe(0);
      expect(report.stages.map(({ first, last }) => [first, last])).toEqual(
        pipeline.ranges.map(({ first, last }) => [first, last]),
      );
      for (const { transportLatencyMs, computeMs, pid } of report.stages) {
        expect(transportLatencyMs).toBeGreaterThan(0);
        expect(transportLatencyMs).toBeLessThan(1_000);
        expect(computeMs).toBeGreaterThan(0);
        expect(pid).not.toBe(process.pid);
      }
    });
  });

  it('serves requests side by side, and continues when each stage is killed in turn', async () => {
    await withPipeline({ stages: 2, standbys: 1 }, async (pipeline) => {
      await pipeline.whenStandingBy();
      const other = trace(pipeline.run());
      const first = pipeline.run();
      const killed = await trace(first, (step) => {
        if (step === 2) process.kill(pipeline.pids[0] ?? 0, 'SIGKILL');
        if (step === 5) process.kill(pipeline.pids[1] ?? 0, 'SIGKILL');
      });
      expect(killed).toEqual(expected);
      expect(await other).toEqual(expected);
      expect((await first.end()).failovers).toBe(2);
    });
  });

  it('fails clearly when a stage is killed and none stands by', async () => {
    await withPipeline({ stages: 2 }, async (pipeline) => {
      const run = pipeline.run();
      const tracing = trace(run, (step) => {
        if (step === 1) process.kill(pipeline.pids[1] ?? 0, 'SIGKILL');
      });
      await expect(tracing).rejects.toMatchObject({
        code: 'stage_lost',
        message: expect.stringMatching(/stage 1 was lost .* no standby/),
      });
      await run.end();
      expect(pipeline.failure).not.toBeNull();
      await expect(trace(pipeline.run())).rejects.toMatchObject({ code: 'stage_lost' });
    });
  });
});
