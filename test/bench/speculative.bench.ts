/**
 * Measures a pair of models against plain decoding of the same requests, in turns and in one run,
 * and tests what it samples: `npm run speculative -- <target.gguf> <draft.gguf> [draws]`.
 */
import path from 'node:path';
import { getLlama, type Token } from 'node-llama-cpp';
// Relative, because this folder has a package.json of its own and with it no subpath imports.
import * as languageModels from '../../libs/engines/language-model/language-model.engine.js';
import * as sampling from '../../libs/engines/speculative/rejection-sampling.js';
import { SpeculativeEngine } from '../../libs/engines/speculative/speculative.engine.js';

const NANO = path.resolve('models/nano.gguf');
const [target = NANO, draft = NANO, draws = '2000'] = process.argv.slice(2);
const ROUNDS = 5;
const MAX_TOKENS = 64;
const PROMPTS = [
  'What is Quipu?',
  'What is a hold, and when is it captured?',
  'How do I run this thing?',
  'Write a poem about knots and cords.',
];
const SAMPLED_PROMPT = 'Tell me about holds';

const pair = new SpeculativeEngine({ comparisonShare: 0 });
const plain = languageModels.createLanguageModelEngine();
const never = new AbortController().signal;

const request = (content: string, temperature: number, seed: number) => ({
  messages: [{ role: 'user', content }] as const,
  maxTokens: MAX_TOKENS,
  temperature,
  seed,
});

/** Milliseconds for each token, from the first one on: reading the prompt is left out. */
const msPerToken = async <Usage extends { readonly completionTokens: number }>(
  texts: AsyncGenerator<string, Usage, void>,
): Promise<{ readonly ms: number; readonly usage: Usage }> => {
  let next = await texts.next();
  const startedAt = performance.now();
  while (!next.done) next = await texts.next();
  const tokens = Math.max(1, next.value.completionTokens - 1);
  return { ms: (performance.now() - startedAt) / tokens, usage: next.value };
};

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

const compare = async (temperature: number, draftTokensMax: number): Promise<void> => {
  const ratios: number[] = [];
  let [drafted, accepted, calls, plainCalls] = [0, 0, 0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const prompt of PROMPTS) {
      const asked = request(prompt, temperature, round);
      const files = { targetFile: target, draftFile: draft, draftTokensMax };
      const one = await msPerToken(plain.stream({ ...asked, modelFile: target }, never));
      const other = await msPerToken(pair.stream({ ...asked, ...files }, never));
      ratios.push(one.ms / other.ms);
      const { counts } = other.usage;
      drafted += counts?.draftTokens ?? 0;
      accepted += counts?.acceptedTokens ?? 0;
      calls += counts?.targetCalls ?? 0;
      plainCalls += counts?.plainCalls ?? 0;
    }
  }
  const rate = ((100 * accepted) / drafted).toFixed(1);
  console.log(
    `temperature ${temperature}, ${draftTokensMax} drafted: ${median(ratios).toFixed(2)}x plain ` +
      `decoding, ${rate} % accepted, ${calls} evaluations instead of ${plainCalls}`,
  );
};

/** The law of the first token of an answer, straight from llama.cpp. */
const lawOf = async (modelPath: string): Promise<sampling.Distribution> => {
  const llama = await getLlama({ gpu: false, build: 'never', progressLogs: false });
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize: 256, threads: 1 });
  const text = `<|im_start|>user\n${SAMPLED_PROMPT}<|im_end|>\n<|im_start|>assistant\n`;
  const ids = model.tokenize(text, true);
  const options = { temperature: 1, topK: 0, topP: 1, minP: 0 };
  const last = ids.at(-1) as Token;
  const outputs = await context
    .getSequence()
    .controlledEvaluate([
      ...ids.slice(0, -1),
      [last, { generateNext: { probabilities: true, options } }],
    ]);
  const law = new Map(outputs.at(-1)?.next.probabilities ?? []);
  detokenized = new Map([...law.keys()].map((id) => [id, model.detokenize([id])]));
  await llama.dispose();
  return law;
};
let detokenized: ReadonlyMap<number, string> = new Map();

const sample = async (): Promise<void> => {
  const draftLaw = await lawOf(draft);
  const law = await lawOf(target);
  const counts = new Map<string, number>();
  for (let seed = 0; seed < Number(draws); seed += 1) {
    const asked = { ...request(SAMPLED_PROMPT, 1, seed), maxTokens: 2, draftTokensMax: 1 };
    const texts = pair.stream({ ...asked, targetFile: target, draftFile: draft }, never);
    const { value } = await texts.next();
    const text = typeof value === 'string' ? value : '';
    counts.set(text, (counts.get(text) ?? 0) + 1);
    for (let next = await texts.next(); !next.done;) next = await texts.next();
  }
  let [statistic, cells] = [0, 0];
  for (const [id, probability] of law) {
    const mean = probability * Number(draws);
    if (mean < 5) continue;
    statistic += ((counts.get(detokenized.get(id) ?? '') ?? 0) - mean) ** 2 / mean;
    cells += 1;
  }
  console.log(
    `first token, ${draws} draws: chi-square ${statistic.toFixed(1)} on about ${cells - 1} ` +
      `degrees of freedom; the laws overlap by ${sampling.acceptanceOf(law, draftLaw).toFixed(3)}`,
  );
};

console.log(`${path.basename(draft)} drafts for ${path.basename(target)}`);
for (const temperature of [0, 1]) for (const steps of [2, 5]) await compare(temperature, steps);
await sample();
await pair.close();
await plain.close();
