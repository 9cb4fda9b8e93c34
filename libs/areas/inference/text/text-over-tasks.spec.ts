import { describe, expect, it } from '@jest/globals';
import { drain } from '#platform/tasks/drain.fixture.js';
import { type EngineDefinition } from '#platform/tasks/engine.js';
import { type LentFile } from '#platform/tasks/file.protocol.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { helpsElsewhere } from '#platform/tasks/task.failures.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { type TextRequest } from '../rigs/embedded-request.js';
import { textEngine } from './text.engine.js';
import { createTextEngine } from './text-over-tasks.js';
import { type TextEnd, type TextPiece } from './text-task.js';

const SHA256 = 'ab'.repeat(32);
const ADAPTER_SHA256 = 'cd'.repeat(32);
const REQUEST: TextRequest = {
  modelFile: '/models/nano.gguf',
  messages: [{ role: 'user', content: 'Who are you?' }],
  maxTokens: 8,
  temperature: 0.5,
  seed: 7,
};
const END: TextEnd = { promptTokens: 5, completionTokens: 4, finishReason: 'length' };
const never = new AbortController().signal;

/** Answers every task with the same pieces, and returns null where a caller leaves. */
class ScriptedTasks extends Tasks {
  asked: unknown;
  abandoned = false;
  lent: LentFile | null = null;

  constructor(
    readonly seesLocalFiles: boolean,
    private readonly pieces: readonly TextPiece[],
    private readonly end: TextEnd | TaskError = END,
  ) {
    super();
  }

  override lend(file: LentFile): Promise<string> {
    this.lent = file;
    return Promise.resolve('gateway-1');
  }

  async *run<Input, Piece, End>(
    { name, piece, end }: EngineDefinition<Input, Piece, End>,
    input: Input,
    signal: AbortSignal,
  ): AsyncGenerator<Piece, End | null, void> {
    expect(name).toBe('text');
    this.asked = input;
    this.abandoned = true;
    for (const one of this.pieces) {
      if (signal.aborted) return null;
      yield await piece.parseAsync(one);
    }
    this.abandoned = false;
    if (signal.aborted) return null;
    if (this.end instanceof TaskError) throw this.end;
    return end.parseAsync(this.end);
  }
}

const over = (tasks: Tasks) =>
  createTextEngine(tasks, {
    modelSha256: () => Promise.resolve(SHA256),
    adapterSha256: () => Promise.resolve(ADAPTER_SHA256),
  });

describe('the text engine of embedded rigs', () => {
  it('asks workers for the model by its contents', async () => {
    const tasks = new ScriptedTasks(false, []);
    await drain(over(tasks).stream(REQUEST, never));
    const { modelFile, ...rest } = REQUEST;
    expect(tasks.asked).toEqual({ ...rest, modelSha256: SHA256 });
    expect(JSON.stringify(tasks.asked)).not.toContain(modelFile);
    expect(textEngine.input.safeParse(tasks.asked).success).toBe(true);
  });

  it('names the file where the process runs the model itself', async () => {
    const tasks = new ScriptedTasks(true, []);
    await drain(over(tasks).stream(REQUEST, never));
    expect(tasks.asked).toEqual(REQUEST);
    expect(textEngine.input.safeParse(tasks.asked).success).toBe(true);
  });

  it('asks workers for the adapter by its contents', async () => {
    const tasks = new ScriptedTasks(false, []);
    const adapter = { file: '/models/adapters/terse.gguf', scale: 0.5 };
    await drain(over(tasks).stream({ ...REQUEST, adapter }, never));
    expect(tasks.asked).toMatchObject({
      adapter: { sha256: ADAPTER_SHA256, scale: 0.5, lender: 'gateway-1' },
    });
    expect(tasks.lent).toEqual({ sha256: ADAPTER_SHA256, file: adapter.file });
    expect(JSON.stringify(tasks.asked)).not.toContain(adapter.file);
    expect(textEngine.input.safeParse(tasks.asked).success).toBe(true);
  });

  it('yields the texts in order and returns what was used', async () => {
    const tasks = new ScriptedTasks(false, [
      ['I', 1, 5],
      [' am', 2],
      [' Quipu', 4],
    ]);
    expect(await drain(over(tasks).stream(REQUEST, never))).toEqual({
      pieces: ['I', ' am', ' Quipu'],
      end: END,
    });
  });

  it('returns what was handed out when the caller leaves', async () => {
    const caller = new AbortController();
    const tasks = new ScriptedTasks(false, [
      ['a', 10, 5],
      ['b', 11],
      ['c', 12],
    ]);
    const stream = over(tasks).stream(REQUEST, caller.signal);
    await stream.next();
    await stream.next();
    caller.abort();
    expect(await stream.next()).toEqual({
      done: true,
      value: { promptTokens: 5, completionTokens: 11, finishReason: 'stop' },
    });
  });

  it('returns nothing used for a caller who leaves before the first piece', async () => {
    const tasks = new ScriptedTasks(false, [['a', 1, 5]]);
    const { pieces, end } = await drain(over(tasks).stream(REQUEST, AbortSignal.abort()));
    expect(pieces).toEqual([]);
    expect(end).toEqual({ promptTokens: 0, completionTokens: 0, finishReason: 'stop' });
  });

  it('abandons its task with its stream', async () => {
    const tasks = new ScriptedTasks(false, [
      ['a', 1, 5],
      ['b', 2],
    ]);
    const stream = over(tasks).stream(REQUEST, never);
    await stream.next();
    await stream.return(END);
    expect(tasks.abandoned).toBe(true);
  });

  it.each([
    ['task_too_large', 'prompt_too_long'],
    ['busy', 'busy'],
    ['no_worker', 'no_worker'],
    ['model_file_missing', 'model_file_missing'],
  ])('fails as its task does: %s', async (sent, code) => {
    const tasks = new ScriptedTasks(false, [], new TaskError(sent, 'no'));
    await expect(drain(over(tasks).stream(REQUEST, never))).rejects.toMatchObject({ code });
  });
});

describe('a failure of text', () => {
  it.each([
    ['busy', true],
    ['expired', true],
    ['model_file_missing', true],
    ['adapter_file_missing', true],
    ['adapter_file_invalid', false],
    ['closed', true],
    ['prompt_too_long', false],
    ['model_file_invalid', false],
    ['model_failed', false],
    ['crashed', false],
    ['unreadable', false],
  ])('may be helped by another worker: %s %p', (code, helps) => {
    expect(helpsElsewhere(textEngine, code)).toBe(helps);
  });
});
