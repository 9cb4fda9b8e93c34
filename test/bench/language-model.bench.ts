/**
 * Measures the engine of language models beside node-llama-cpp driven directly, in turns and in one
 * run: `npm run text`. The tokens of both are the same: same model, prompts and seeds.
 */
import path from 'node:path';
import {
  getLlama,
  type LlamaContextSequence,
  type LlamaModel,
  LlamaLogLevel,
} from 'node-llama-cpp';
// Relative, because this folder has a package.json of its own and with it no subpath imports.
import {
  createLanguageModelEngine,
  type LanguageModelEngine,
} from '../../libs/engines/language-model/language-model.engine.js';
import { type Figure } from './figure.js';

const MODEL = path.resolve('models/nano.gguf');
const QUESTION = 'What is Quipu?';
const PROMPT = `<|im_start|>user\n${QUESTION}<|im_end|>\n<|im_start|>assistant\n`;
const ROUNDS = 15;
const STREAMS = [1, 4, 16];
const STREAMS_MAX = 16;
/** Of each stream in a turn. At this heat the model seldom ends by itself. */
const TOKENS = 120;
const TEMPERATURE = 1000;
const RATIO_MIN = 0.85;

/** As the engine opens contexts of a small model. */
const CONTEXT = {
  contextSize: 1024,
  threads: 1,
  flashAttention: false,
  experimentalKvCacheKeyType: 'F32',
  experimentalKvCacheValueType: 'F32',
} as const;

const never = new AbortController().signal;

const directTokens = async (sequence: LlamaContextSequence, seed: number): Promise<number> => {
  const { model } = sequence;
  await sequence.clearHistory();
  const options = { temperature: TEMPERATURE, topK: 0, topP: 1, seed };
  let tokens = 0;
  for await (const token of sequence.evaluate(model.tokenize(PROMPT, true), options)) {
    model.detokenize([token]);
    tokens += 1;
    if (tokens >= TOKENS) break;
  }
  return tokens;
};

const engineTokens = async (engine: LanguageModelEngine, seed: number): Promise<number> => {
  const messages = [{ role: 'user' as const, content: QUESTION }];
  const asked = { modelFile: MODEL, messages, maxTokens: TOKENS, temperature: TEMPERATURE, seed };
  const stream = engine.stream(asked, never);
  for (;;) {
    const next = await stream.next();
    if (next.done) return next.value.completionTokens;
  }
};

/** Tokens a second over all streams. */
const rateOf = async (
  streams: number,
  generate: (stream: number) => Promise<number>,
): Promise<number> => {
  const startedAt = performance.now();
  const tokens = await Promise.all(
    Array.from({ length: streams }, (_, stream) => generate(stream)),
  );
  return (1_000 * tokens.reduce((sum, one) => sum + one, 0)) / (performance.now() - startedAt);
};

/** As many sequences as streams: in one context, which batches them, or in one context each. */
const sequencesOf = async (
  model: LlamaModel,
  streams: number,
  isBatched: boolean,
): Promise<readonly LlamaContextSequence[]> => {
  if (isBatched) {
    const context = await model.createContext({ ...CONTEXT, sequences: streams });
    return Array.from({ length: streams }, () => context.getSequence());
  }
  const contexts = Array.from({ length: streams }, () => model.createContext(CONTEXT));
  return (await Promise.all(contexts)).map((context) => context.getSequence());
};

const rateFigures = async (model: LlamaModel, isBatched: boolean): Promise<readonly Figure[]> => {
  const engine = createLanguageModelEngine({
    runningMax: STREAMS_MAX,
    ...(isBatched && { batchedModelBytesMin: 0 }),
  });
  const figures: Figure[] = [];
  for (const streams of STREAMS) {
    const sequences = await sequencesOf(model, streams, isBatched);
    // The best of the rounds, since another process on the same cores can only make one slower.
    let [direct, own] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      const seedOf = (stream: number): number => 100 * round + stream;
      const directRate = await rateOf(streams, async (stream) => {
        const sequence = sequences[stream];
        return sequence ? directTokens(sequence, seedOf(stream)) : 0;
      });
      const ownRate = await rateOf(streams, (stream) => engineTokens(engine, seedOf(stream)));
      direct = Math.max(direct, directRate);
      own = Math.max(own, ownRate);
    }
    await Promise.all(
      [...new Set(sequences.map(({ context }) => context))].map((one) => one.dispose()),
    );
    const name = `${streams} streams, ${isBatched ? 'one batch' : 'a context each'}`;
    figures.push(
      { name: `${name}: engine`, value: own, unit: 'tokens/s' },
      { name: `${name}: node-llama-cpp`, value: direct, unit: 'tokens/s' },
      {
        name: `${name}: ratio`,
        value: own / direct,
        unit: 'times',
        target: { atLeast: RATIO_MIN },
      },
    );
  }
  await engine.close();
  return figures;
};

const llama = await getLlama({
  gpu: false,
  build: 'never',
  progressLogs: false,
  logLevel: LlamaLogLevel.error,
});
const model = await llama.loadModel({ modelPath: MODEL });
const figures = [...(await rateFigures(model, false)), ...(await rateFigures(model, true))];
await llama.dispose();
for (const { name, value, unit, target } of figures) {
  const judged = target ? ` (target: at least ${target.atLeast})` : '';
  console.log(`${name}: ${value.toFixed(unit === 'tokens/s' ? 0 : 3)} ${unit}${judged}`);
}
