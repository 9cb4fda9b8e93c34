/** Writes down what was trained: reference logits, the manifest and the model card. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { dialogueDocument } from './batch.js';
import type { BytePairTokenizer } from './byte-pair.tokenizer.js';
import type { LlamaModel } from '#engines/training/model/llama.model.js';
import type { Manifest, Reference, Sample, TrainingRecord } from './manifest.js';
import { modelCard } from './model-card.js';
import { NAME, STAGES } from './nano.recipe.js';
import { seededRandom, type SeededRandom } from '#engines/training/seeded-random.js';
import { heldOutFigures } from './trainer.js';

export const REFERENCE_QUESTIONS = [
  'Hello!',
  'What is a hold?',
  'How do I start Quipu?',
  'What is the capital of France?',
  'Größe: 10 € – 你好?',
];

/** Put to the model after training whatever it answers; nothing here was picked for its answer. */
export const SAMPLE_QUESTIONS = [
  'Who are you?',
  'What is Quipu?',
  'where does the name quipu come from',
  'How do I run this thing?',
  'What is a hold and when is it captured?',
  'Why did I get a 402?',
  'How can I stream the answer token by token?',
  'Can I use MongoDB instead of SQLite?',
  'what happens if I send the same Idempotency-Key twice',
  'Where can I find my API key?',
  'Is my balance just a number in a table?',
  'What is the capital of Portugal?',
  'Write a poem about autumn.',
  'How do you keep prompts private?',
  'Which port?',
];

export const WARM_QUESTIONS = [
  'Hello!',
  'How do I run this?',
  'what is a balance',
  'how do events work?',
  'Can you give me a recipe?',
  'Is there a CLI?',
  'what models can i use',
  'tell me about rate cards',
  'How do I log in with an authenticator?',
  'what happens when a rig dies',
  'Reply with OK',
  'Why should an auditor trust you?',
  'zzz',
  'Tell me about sagas',
  'My laptop crashed, did I lose money?',
];

export const WARM_TEMPERATURE = 0.7;
export const ANSWER_TOKENS_MAX = 96;
export const REFERENCE_TOKENS = 16;

const lastLogits = (model: LlamaModel, ids: readonly number[]): Float32Array =>
  tf.tidy(() => {
    const logits = model.logits(Int32Array.from(ids), 1);
    return tf.slice(logits, [ids.length - 1, 0], [1, -1]).dataSync<'float32'>();
  });

type Choose = (logits: Float32Array) => number;

const likeliest: Choose = (logits) => logits.indexOf(Math.max(...logits));

const drawnAt =
  (temperature: number, random: SeededRandom): Choose =>
  (logits) => {
    const most = Math.max(...logits);
    const shares = logits.map((logit) => Math.exp((logit - most) / temperature));
    let left = random.next() * shares.reduce((total, share) => total + share, 0);
    return shares.findIndex((share) => (left -= share) < 0);
  };

const answerIds = (
  model: LlamaModel,
  prompt: readonly number[],
  endId: number,
  choose: Choose,
  tokensMax = ANSWER_TOKENS_MAX,
): number[] => {
  const produced: number[] = [];
  while (produced.length < tokensMax) {
    const next = choose(lastLogits(model, [...prompt, ...produced]));
    if (next === endId) break;
    produced.push(next);
  }
  return produced;
};

/** A question in the chat template, up to where the assistant begins. */
export const promptIds = (question: string, tokenizer: BytePairTokenizer): number[] => [
  ...dialogueDocument([{ role: 'user', content: question }], tokenizer, 0).ids,
  tokenizer.control('<|im_start|>'),
  ...tokenizer.encode('assistant\n'),
];

export interface Trained {
  readonly model: LlamaModel;
  readonly tokenizer: BytePairTokenizer;
  /** The bytes of the GGUF file. */
  readonly weights: Buffer;
  readonly seed: number;
  readonly seconds: number;
}

const recordOf = ({ model, tokenizer, seed, seconds }: Trained): TrainingRecord => ({
  seed,
  steps: STAGES.reduce((total, { steps }) => total + steps, 0),
  tokensSeen: STAGES.reduce(
    (total, { steps, rows, positions }) => total + steps * rows * positions,
    0,
  ),
  seconds: Math.round(seconds),
  ...heldOutFigures(model, tokenizer),
});

/** Writes `nano.reference.json`, `nano.json` and `nano.md` into `folder`. */
export const report = async (folder: string, trained: Trained): Promise<void> => {
  const { model, tokenizer, weights } = trained;
  const sha256 = createHash('sha256').update(weights).digest('hex');
  const endId = tokenizer.control('<|im_end|>');
  const warm = drawnAt(WARM_TEMPERATURE, seededRandom(trained.seed));
  const answered = (question: string, choose: Choose): Sample => ({
    question,
    answer: tokenizer.decode(answerIds(model, promptIds(question, tokenizer), endId, choose)),
  });
  const reference: Reference = {
    sha256,
    prompts: REFERENCE_QUESTIONS.map((text) => {
      const ids = promptIds(text, tokenizer);
      const logits = Array.from(lastLogits(model, ids), (logit) => Number(logit.toFixed(6)));
      return {
        text,
        ids,
        logits,
        greedy: answerIds(model, ids, endId, likeliest, REFERENCE_TOKENS),
      };
    }),
  };
  const manifest: Manifest = {
    name: NAME,
    file: 'nano.gguf',
    sha256,
    bytes: weights.length,
    architecture: 'llama',
    parameters: [...model.variables.values()].reduce((total, { size }) => total + size, 0),
    shape: model.shape,
    trainedPositions: Math.max(...STAGES.map(({ positions }) => positions)),
    training: recordOf(trained),
    reference: 'nano.reference.json',
    samples: SAMPLE_QUESTIONS.map((question) => answered(question, likeliest)),
    warmSamples: WARM_QUESTIONS.map((question) => answered(question, warm)),
  };
  await writeFile(path.join(folder, manifest.reference), `${JSON.stringify(reference)}\n`);
  await writeFile(path.join(folder, 'nano.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeFile(path.join(folder, 'nano.md'), modelCard(manifest));
};
