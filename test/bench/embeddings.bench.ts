/**
 * Measures the built-in embedding models through their engine, thread included:
 * `npm run embeddings`. CPU time counts, since the machine may be shared.
 */
import path from 'node:path';
// Relative, because this folder has a package.json of its own and with it no subpath imports.
import { EmbeddingsEngine } from '../../libs/engines/embeddings/embeddings.engine.js';
import { type Figure } from './figure.js';

const MODELS = ['quipu-embed-768', 'quipu-embed-1024'] as const;
const TEXTS = 2_000;
const SENTENCE = 'How do I settle the bill for a rental car before the trip is called off? ';
const LENGTHS = [
  { name: 'a sentence', repeats: 1 },
  { name: 'a page (30 sentences)', repeats: 30 },
] as const;
const never = new AbortController().signal;

const embedAll = async (
  engine: EmbeddingsEngine,
  model: string,
  inputs: readonly string[],
): Promise<number> => {
  const modelFile = path.resolve('models/embeddings', model, 'model.safetensors');
  let tokens = 0;
  for await (const piece of engine.run({ modelFile, inputs, dimensions: null }, never)) {
    for (const one of piece) tokens += one.tokens;
  }
  return tokens;
};

const measure = async (model: string, name: string, repeats: number): Promise<Figure[]> => {
  const engine = new EmbeddingsEngine();
  const startedAt = performance.now();
  await embedAll(engine, model, ['the first text loads the model']);
  const loadMs = performance.now() - startedAt;
  const count = Math.ceil(TEXTS / repeats);
  const inputs = Array.from({ length: count }, (_, at) => `${at} ${SENTENCE.repeat(repeats)}`);
  const since = process.cpuUsage();
  const tokens = await embedAll(engine, model, inputs);
  const { user, system } = process.cpuUsage(since);
  const cpuSeconds = (user + system) / 1e6;
  await engine.close();
  const title = `${model}, ${name}`;
  return [
    { name: `${title}: first text, with loading`, value: loadMs, unit: 'ms' },
    { name: `${title}: embeddings`, value: count / cpuSeconds, unit: '1/CPU s' },
    { name: `${title}: a text`, value: (1e3 * cpuSeconds) / count, unit: 'CPU ms' },
    { name: `${title}: tokens`, value: tokens / cpuSeconds, unit: '1/CPU s' },
  ];
};

for (const model of MODELS) {
  for (const { name, repeats } of LENGTHS) {
    for (const { name: figure, value, unit } of await measure(model, name, repeats)) {
      process.stdout.write(`${figure}: ${value.toFixed(2)} ${unit}\n`);
    }
  }
}
