/**
 * Trains the built-in model and writes `models/nano.gguf`, its reference logits, manifest and card.
 *
 *   npm run models:train [-- --seed N --out FOLDER --resume]
 *
 * Takes less than an hour on two cores. The same seed gives the same weights on the same machine
 * and versions; other CPUs may round differently in the last bit, and training amplifies that.
 * After each stage the weights are saved; `--resume` goes on from there.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bytePairTokenizer, trainBytePairs } from './byte-pair.tokenizer.js';
import { dialogue } from './corpus/corpus.generator.js';
import {
  type BytePairVocabulary,
  type GgufModel,
  readGguf,
  writeGguf,
} from '#engines/training/files/gguf.js';
import { startTensorFlow } from '#engines/training/gradient.shard.js';
import { initialTensors, LlamaModel } from '#engines/training/model/llama.model.js';
import { CONTROLS, NAME, SHAPE, STAGES, VOCABULARY_SIZE } from './nano.recipe.js';
import { report } from './report.js';
import { seededRandom } from '#engines/training/seeded-random.js';
import { Trainer } from './trainer.js';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1532' },
    out: { type: 'string', default: 'models' },
    resume: { type: 'boolean', default: false },
  },
});

const seed = Number(options.seed);
const weightsFile = path.join(options.out, 'nano.gguf');
const checkpointFile = path.join(options.out, 'nano.checkpoint.json');
const VOCABULARY_DIALOGUES = 6000;

interface Checkpoint {
  readonly stagesDone: number;
  readonly seconds: number;
}

const learnVocabulary = (): BytePairVocabulary => {
  const random = seededRandom(seed);
  const texts = Array.from({ length: VOCABULARY_DIALOGUES }, () =>
    dialogue('training', random).map(({ role, content }) => `${role}\n${content}\n`),
  );
  return trainBytePairs(texts.flat(), VOCABULARY_SIZE, CONTROLS);
};

const untrained = (): GgufModel => {
  const vocabulary = learnVocabulary();
  const shape = { ...SHAPE, vocabulary: vocabulary.tokens.length };
  const tensors = initialTensors(shape, seededRandom(seed + 1));
  return { name: NAME, shape, vocabulary, tensors };
};

const startedAt = performance.now();
await mkdir(options.out, { recursive: true });
await startTensorFlow();

const { stagesDone, seconds: secondsBefore } = options.resume
  ? (JSON.parse(await readFile(checkpointFile, 'utf8')) as Checkpoint)
  : { stagesDone: 0, seconds: 0 };
const start = options.resume ? readGguf(await readFile(weightsFile)) : untrained();
const tokenizer = bytePairTokenizer(start.vocabulary);
const model = new LlamaModel(start.shape, start.tensors);
const bytes = (): Buffer => writeGguf({ ...start, tensors: model.tensors() });
const secondsSoFar = (): number => secondsBefore + (performance.now() - startedAt) / 1000;

for (const [index, stage] of STAGES.entries()) {
  if (index < stagesDone) continue;
  const trainer = await Trainer.start(model, tokenizer, seed + 2 + index);
  await trainer.run(stage, async (progress) => {
    process.stdout.write(`${JSON.stringify({ stage: index + 1, ...progress })}\n`);
    await writeFile(weightsFile, bytes());
  });
  await trainer.stop();
  const checkpoint: Checkpoint = { stagesDone: index + 1, seconds: secondsSoFar() };
  await writeFile(weightsFile, bytes());
  await writeFile(checkpointFile, JSON.stringify(checkpoint));
}

await report(options.out, { model, tokenizer, weights: bytes(), seed, seconds: secondsSoFar() });
await rm(checkpointFile);
