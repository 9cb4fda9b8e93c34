import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HALF, storedAs } from '../../llama-layers/formats/stored-as.fixture.js';
import { writeGguf } from '../files/gguf.js';
import { readLlamaFile } from '../files/llama-file.js';
import {
  CHATS,
  NANO,
  nanoVocabulary,
  RECIPE,
  taskOf,
  TrainingFolder,
} from '../training.fixture.js';
import {
  type TrainingEnd,
  type TrainingMethod,
  type TrainingPiece,
  type TrainingTask,
} from '../training.protocol.js';
import { train } from './training-run.js';

const KD: TrainingMethod = { kind: 'distillation', temperature: 2, alpha: 0.75, beta: 0.25 };

const drained = async (
  task: TrainingTask,
): Promise<{ readonly pieces: readonly TrainingPiece[]; readonly end: TrainingEnd }> => {
  const pieces: TrainingPiece[] = [];
  const run = train(task);
  let next = await run.next();
  for (; !next.done; next = await run.next()) pieces.push(next.value);
  return { pieces, end: next.value };
};

/** Ends the run behind its next checkpoint, as a machine that dies does. */
const killedAtCheckpoint = async (task: TrainingTask): Promise<Uint8Array> => {
  const run = train(task);
  try {
    for (let next = await run.next(); !next.done; next = await run.next()) {
      if (next.value.kind === 'checkpoint') return next.value.content;
    }
    throw new Error('the run had no checkpoint left');
  } finally {
    await run.return(undefined as never);
  }
};

describe('a training', () => {
  let folder: TrainingFolder;
  let files: { readonly student: string; readonly teacher: string; readonly text: string };

  beforeAll(async () => {
    folder = await TrainingFolder.make();
    files = {
      student: await folder.micro('student', 1),
      teacher: await folder.micro('teacher', 2, { layers: 1, keyHeads: 2, hasOutput: true }),
      text: await folder.text(CHATS),
    };
  });
  afterAll(() => folder.remove());

  const resumedTwice = async (task: TrainingTask): Promise<TrainingEnd> => {
    const first = await folder.file('first.state', await killedAtCheckpoint(task));
    const again = { ...task, checkpoint: first };
    const second = await folder.file('second.state', await killedAtCheckpoint(again));
    return (await drained({ ...task, checkpoint: second })).end;
  };

  it.each<[string, TrainingMethod]>([
    ['of the next token', { kind: 'next_token' }],
    ['of a teacher and a text', KD],
  ])('that is killed twice ends with the same bits: %s', async (_, method) => {
    const task = taskOf(files, { method });
    const whole = await drained(task);
    const resumed = await resumedTwice(task);
    expect(resumed.losses).toEqual(whole.end.losses);
    expect(resumed.losses).toHaveLength(RECIPE.steps);
    expect(Buffer.from(resumed.weights).equals(Buffer.from(whole.end.weights))).toBe(true);
    expect(resumed.before).toEqual(whole.end.before);
    expect(resumed.after).toEqual(whole.end.after);
    expect(resumed.tokens).toBe(whole.end.tokens);
  });

  it('that is killed while its teacher writes ends with the same bits', async () => {
    const task = taskOf(files, {
      method: { kind: 'teacher_text' },
      recipe: { ...RECIPE, positions: 128, steps: 4 },
    });
    const whole = await drained(task);
    const resumed = await resumedTwice(task);
    expect(resumed.losses).toEqual(whole.end.losses);
    expect(Buffer.from(resumed.weights).equals(Buffer.from(whole.end.weights))).toBe(true);
    const writing = whole.pieces.filter((piece) => piece.kind === 'progress');
    expect(writing.at(0)).toMatchObject({ phase: 'generating', done: 1, total: 4, loss: null });
  });

  it('brings the student nearer to its teacher', async () => {
    const recipe = { ...RECIPE, steps: 60 };
    const { end } = await drained(taskOf(files, { method: { ...KD, alpha: 1, beta: 0 }, recipe }));
    expect(end.after.divergence ?? NaN).toBeLessThan(0.9 * (end.before.divergence ?? NaN));
  });

  it('has nothing to learn from itself', async () => {
    const method = { ...KD, alpha: 1, beta: 0 };
    const { end } = await drained(taskOf({ ...files, teacher: files.student }, { method }));
    // Behind the first step, AdamW has made a step of roundings.
    expect(end.losses[0]).toBeCloseTo(0, 5);
    expect(end.before.divergence ?? NaN).toBeCloseTo(0, 5);
  });

  it('of a LoRA changes the matrices of the layers only, by few weights', async () => {
    const recipe = {
      ...RECIPE,
      steps: 20,
      tuning: { kind: 'lora', rank: 2, alpha: 4, seed: 3 },
    } as const;
    const { end } = await drained(taskOf(files, { recipe }));
    const tuned = await readLlamaFile(await folder.file('lora.gguf', end.weights));
    const { tensors } = await readLlamaFile(files.student);
    const changed = tuned.tensors.filter(
      ({ values }, at) => !values.every((value, index) => value === tensors[at]?.values[index]),
    );
    expect(changed.map(({ name }) => name).every((name) => name.includes('_proj'))).toBe(true);
    expect(changed).toHaveLength(14);
    expect(end.after.perplexity).toBeLessThan(end.before.perplexity);
    expect(end.learnedParameters).toBe(2 * 2 * (4 * 32 + 3 * 40));
    expect(tuned.header.metadata.get('general.name')).toBe('acct-1/micro-tuned');
  });

  it('of a model with shared heads and its own output writes a readable file', async () => {
    const { end } = await drained(taskOf({ ...files, student: files.teacher, teacher: null }));
    const tuned = await readLlamaFile(await folder.file('grouped.gguf', end.weights));
    expect(tuned.shape).toMatchObject({ keyHeads: 2, hasOutput: true });
    expect(end.after.perplexity).toBeLessThan(end.before.perplexity);
  });

  it('of 16-bit floats learns their values, and writes 32-bit floats', async () => {
    const half = await folder.file('half.gguf', await storedAs(files.student, HALF));
    const { tensors, shape } = await readLlamaFile(half);
    const vocabulary = await nanoVocabulary();
    const rounded = writeGguf({ name: 'rounded', shape, vocabulary, tensors });
    const student = await folder.file('rounded.gguf', rounded);
    const learned = (await drained(taskOf({ ...files, student: half, teacher: null }))).end;
    const expected = (await drained(taskOf({ ...files, student, teacher: null }))).end;
    expect(learned.losses).toEqual(expected.losses);
    const tuned = await readLlamaFile(await folder.file('tuned.gguf', learned.weights));
    expect([...tuned.header.tensors.values()].every(({ type }) => type === 0)).toBe(true);
    const other = await readLlamaFile(await folder.file('other.gguf', expected.weights));
    expect(tuned.tensors).toEqual(other.tensors);
  });

  it('refuses a teacher with another vocabulary', async () => {
    const vocabulary = await nanoVocabulary();
    const swapped = { ...vocabulary, merges: vocabulary.merges.toReversed() };
    const shape = (await readLlamaFile(files.student)).shape;
    const teacher = await folder.model('other', swapped, shape, 2);
    await expect(drained(taskOf({ ...files, teacher }, { method: KD }))).rejects.toMatchObject({
      code: 'vocabulary_mismatch',
    });
  });

  it('refuses the checkpoint of another training', async () => {
    const state = await killedAtCheckpoint(taskOf(files));
    const checkpoint = await folder.file('of-another.state', state);
    const other = taskOf(files, { checkpoint, recipe: { ...RECIPE, seed: 8 } });
    await expect(drained(other)).rejects.toMatchObject({ code: 'checkpoint_unusable' });
  });

  it('refuses a text without a document to judge by', async () => {
    const text = await folder.file('bare.jsonl', Buffer.from('{"text":"One."}\n'));
    await expect(drained(taskOf({ ...files, text }))).rejects.toMatchObject({
      code: 'text_unusable',
    });
  });

  it('refuses a model of more parameters than it holds', async () => {
    const student = await folder.zeros('large', { width: 512, heads: 8, feedForwardWidth: 2_048 });
    await expect(drained(taskOf({ ...files, student, teacher: NANO }))).rejects.toMatchObject({
      code: 'model_too_large',
    });
  });
});
