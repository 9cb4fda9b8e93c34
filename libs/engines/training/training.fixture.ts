/** Tiny models and texts, with the tokenizer of nano. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BytePairVocabulary, readGguf, writeGguf } from './files/gguf.js';
import { initialTensors, lengthOf, type LlamaShape, tensorShapes } from './model/llama.model.js';
import { seededRandom } from './seeded-random.js';
import { type TrainingDocument } from './text/documents.js';
import { type TrainingRecipe, type TrainingTask } from './training.protocol.js';

export const NANO = path.resolve(import.meta.dirname, '../../../models/nano.gguf');

export const nanoVocabulary = async (): Promise<BytePairVocabulary> =>
  readGguf(await readFile(NANO)).vocabulary;

const MICRO = {
  width: 16,
  layers: 2,
  heads: 4,
  keyHeads: 4,
  feedForwardWidth: 24,
  contextLength: 128,
  ropeBase: 10_000,
  normEpsilon: 1e-5,
};

/** A folder of its own for each test. */
export class TrainingFolder {
  private constructor(readonly path: string) {}

  static async make(): Promise<TrainingFolder> {
    return new TrainingFolder(await mkdtemp(path.join(tmpdir(), 'quipu-training-')));
  }

  async micro(name: string, seed: number, shape: Partial<LlamaShape> = {}): Promise<string> {
    const vocabulary = await nanoVocabulary();
    return this.model(name, vocabulary, { ...MICRO, vocabulary: 0, ...shape }, seed);
  }

  async model(
    name: string,
    vocabulary: BytePairVocabulary,
    shape: LlamaShape,
    seed: number,
  ): Promise<string> {
    const whole = { ...shape, vocabulary: vocabulary.tokens.length };
    const tensors = initialTensors(whole, seededRandom(seed));
    return this.file(`${name}.gguf`, writeGguf({ name, shape: whole, vocabulary, tensors }));
  }

  /** As `micro`, with zeros for weights. */
  async zeros(name: string, shape: Partial<LlamaShape>): Promise<string> {
    const vocabulary = await nanoVocabulary();
    const whole = { ...MICRO, ...shape, vocabulary: vocabulary.tokens.length };
    const tensors = tensorShapes(whole).map(([tensor, size]) => ({
      name: tensor,
      shape: size,
      values: new Float32Array(lengthOf(size)),
    }));
    return this.file(`${name}.gguf`, writeGguf({ name, shape: whole, vocabulary, tensors }));
  }

  text(documents: readonly TrainingDocument[]): Promise<string> {
    const lines = documents.map((document) => JSON.stringify(document));
    return this.file('text.jsonl', Buffer.from(lines.join('\n')));
  }

  async file(name: string, bytes: Uint8Array): Promise<string> {
    const file = path.join(this.path, name);
    await writeFile(file, bytes);
    return file;
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }
}

const chat = (question: string, answer: string, heldOut = false): TrainingDocument => ({
  messages: [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ],
  ...(heldOut && { heldOut }),
});

export const CHATS: readonly TrainingDocument[] = [
  chat('What is a hold?', 'Money that is set aside.'),
  chat('What is a charge?', 'Money that is taken.'),
  chat('Who are you?', 'I am Quipu.'),
  { text: 'Every balance is the fold of its events.' },
  chat('What is a rig?', 'A server of models.', true),
  { text: 'Every state change is a domain event.', heldOut: true },
];

export const RECIPE: TrainingRecipe = {
  steps: 8,
  rows: 2,
  positions: 32,
  learningRate: 5e-3,
  warmUpSteps: 2,
  seed: 7,
  checkpointSteps: 3,
  tuning: { kind: 'full' },
};

export const taskOf = (
  files: Pick<TrainingTask, 'student' | 'teacher' | 'text'>,
  rest: Partial<TrainingTask> = {},
): TrainingTask => ({
  ...files,
  checkpoint: null,
  name: 'acct-1/micro-tuned',
  method: { kind: 'next_token' },
  recipe: RECIPE,
  ...rest,
});
