/**
 * Measures a model in one piece beside the same layers in 2 and 4 stages, in turns and in one run:
 * `npm run pipeline -- [model.gguf]`. Another process on the same cores only makes a turn
 * longer, so that the best of several turns counts.
 */
import path from 'node:path';
import { LayerStack } from '../../libs/engines/llama-layers/model/layer-stack.js';
import { readLlamaHeader } from '../../libs/engines/llama-layers/model/llama.header.js';
import { Pipeline } from '../../libs/engines/llama-layers/pipeline/pipeline.js';
import { type LayerRun, type RunReport } from '../../libs/engines/llama-layers/run/layer-run.js';
import { LocalRun } from '../../libs/engines/llama-layers/run/local-run.js';

const STAGES = [2, 4] as const;
const PROMPT_TOKENS = 32;
const TOKENS = 128;
const ROUNDS = 7;

interface Turn {
  /** Of the tokens alone, without the prompt. */
  readonly msPerToken: number;
  readonly ids: readonly number[];
  readonly report: RunReport;
}

const likeliest = (logits: Float32Array | null): number =>
  logits === null ? 0 : logits.indexOf(Math.max(...logits));

const takeTurn = async (run: LayerRun): Promise<Turn> => {
  const prompt = Int32Array.from({ length: PROMPT_TOKENS }, (_, at) => 40 + at);
  let next = likeliest(await run.advance(prompt, true));
  const ids: number[] = [];
  const startedAt = performance.now();
  for (let token = 0; token < TOKENS; token += 1) {
    ids.push(next);
    next = likeliest(await run.advance(Int32Array.of(next), true));
  }
  const msPerToken = (performance.now() - startedAt) / TOKENS;
  return { msPerToken, ids, report: await run.end() };
};

const best = (turns: readonly Turn[]): Turn =>
  turns.reduce((one, other) => (other.msPerToken < one.msPerToken ? other : one));

const latencies = ({ stages, returnLatencyMs }: RunReport): string =>
  [...stages.map(({ transportLatencyMs }) => transportLatencyMs), returnLatencyMs]
    .map((ms) => (ms === null ? '-' : ms.toFixed(3)))
    .join(', ');

const modelFile = path.resolve(process.argv[2] ?? 'models/nano.gguf');
const header = await readLlamaHeader(modelFile);
const { layers } = header.shape;
const stack = await LayerStack.load(modelFile, header);
const pipelines = await Promise.all(
  STAGES.map((stages) => {
    return Pipeline.open({ modelFile, layers, stages, standbys: 0, host: '127.0.0.1' });
  }),
);
try {
  const lanes = [() => new LocalRun(stack), ...pipelines.map((pipeline) => () => pipeline.run())];
  const turns: Turn[][] = lanes.map(() => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [lane, open] of lanes.entries()) {
      const turn = await takeTurn(open());
      // The first round warms the kernels up.
      if (round > 0) turns[lane]?.push(turn);
    }
  }
  const [whole, ...divided] = turns.map(best);
  if (whole === undefined) throw new Error('nothing was measured');
  const rate = ({ msPerToken }: Turn): string => `${(1_000 / msPerToken).toFixed(0)} tokens/s`;
  console.log(`${path.basename(modelFile)}, ${layers} layers, in one piece: ${rate(whole)}`);
  for (const turn of divided) {
    if (turn.ids.join() !== whole.ids.join()) throw new Error('the divided model says otherwise');
    const { length } = turn.report.stages;
    // From the head, between the stages, and back to the head.
    const added = (turn.msPerToken - whole.msPerToken) / (length + 1);
    console.log(
      `${length} stages: ${rate(turn)}, ${added.toFixed(3)} ms more for each hop; ` +
        `ms from sending to receiving: ${latencies(turn.report)}`,
    );
  }
} finally {
  for (const pipeline of pipelines) pipeline.close();
}
