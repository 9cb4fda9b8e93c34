import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runTraining } from './training.engine.js';
import { CHATS, RECIPE, taskOf, TrainingFolder } from './training.fixture.js';
import { type TrainingTask } from './training.protocol.js';

const never = new AbortController().signal;

describe('the training engine', () => {
  let folder: TrainingFolder;
  let task: TrainingTask;

  beforeAll(async () => {
    folder = await TrainingFolder.make();
    const student = await folder.micro('student', 1);
    task = taskOf({ student, teacher: null, text: await folder.text(CHATS) });
  });
  afterAll(() => folder.remove());

  it('trains in a thread of its own, and reports each step', async () => {
    const run = runTraining({ ...task, recipe: { ...RECIPE, steps: 4 } }, never);
    const kinds: string[] = [];
    let next = await run.next();
    for (; !next.done; next = await run.next()) kinds.push(next.value.kind);
    expect(kinds).toEqual(['progress', 'progress', 'progress', 'checkpoint', 'progress']);
    expect(next.value.losses).toHaveLength(4);
    expect(Buffer.from(next.value.weights).toString('latin1', 0, 4)).toBe('GGUF');
  });

  it('stops with its signal', async () => {
    const stop = new AbortController();
    const run = runTraining({ ...task, recipe: { ...RECIPE, steps: 5_000 } }, stop.signal);
    await run.next();
    stop.abort(new Error('enough'));
    await expect(run.next()).rejects.toThrow('enough');
  });

  it('fails with the code of its thread', async () => {
    const run = runTraining({ ...task, student: '/absent.gguf' }, never);
    await expect(run.next()).rejects.toMatchObject({ code: 'model_file_missing' });
  });
});
