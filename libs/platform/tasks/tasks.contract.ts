import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import {
  type CountingDefinition,
  countingEngine,
  CountingLog,
  type CountingInput,
} from './counting.engine.fake.js';
import { drain } from './drain.fixture.js';
import { type TaskHosting } from './tasks.port.js';

export interface TasksUnderTest {
  readonly tasks: TaskHosting;
  close(): Promise<void>;
}

const never = new AbortController().signal;

/**
 * The contract of an engine with its area, in this process and with workers.
 * @param open serves the engine under the names that the definition gives
 */
export const tasksContract = (
  where: string,
  open: (engine: CountingDefinition) => Promise<TasksUnderTest>,
): void => {
  describe(`Tasks contract: ${where}`, () => {
    let log: CountingLog;
    let engine: CountingDefinition;
    let opened: TasksUnderTest;

    const serve = async (changes: Partial<CountingDefinition> = {}): Promise<void> => {
      log = new CountingLog();
      engine = countingEngine(log, changes);
      opened = await open(engine);
    };

    beforeEach(() => serve());

    afterEach(() => opened.close());

    const input = (text: string, more: Partial<CountingInput> = {}): CountingInput => ({
      text,
      pauseMs: 0,
      failsWith: '',
      ...more,
    });

    const run = (asked: CountingInput, signal = never) => opened.tasks.run(engine, asked, signal);

    /** It runs until it is stopped. */
    const LONG = input('word '.repeat(10_000).trim(), { pauseMs: 5 });

    it('yields the pieces in order and returns the end', async () => {
      expect(await drain(run(input('a knotted string')))).toEqual({
        pieces: [1, 7, 6],
        end: { words: 3 },
      });
    });

    it('loses and repeats no piece of a long answer, and keeps their order', async () => {
      const lengths = Array.from({ length: 2_000 }, (_, place) => 1 + (place % 7));
      const text = lengths.map((length) => 'x'.repeat(length)).join(' ');
      expect(await drain(run(input(text)))).toEqual({ pieces: lengths, end: { words: 2_000 } });
    });

    it('keeps tasks apart, each in order', async () => {
      const texts = ['a bb ccc', 'ccc bb a', 'dddd', 'bb bb a'];
      const answers = await Promise.all(
        texts.map((text) => drain(run(input(text, { pauseMs: 2 })))),
      );
      expect(answers.map(({ pieces }) => pieces)).toEqual([[1, 2, 3], [3, 2, 1], [4], [2, 2, 1]]);
      expect(log.openings).toBe(1);
    });

    it('rejects an input that does not match its schema, and runs nothing', async () => {
      const wrong = { ...input('a'), pauseMs: 'long' } as unknown as CountingInput;
      await expect(drain(run(wrong))).rejects.toMatchObject({ code: 'invalid_input' });
      expect(log.texts).toEqual([]);
    });

    it('fails for a piece that does not match its schema, behind the pieces that do', async () => {
      const stream = run(input('aa - bb'));
      expect(await stream.next()).toEqual({ done: false, value: 2 });
      await expect(stream.next()).rejects.toMatchObject({ code: 'failed' });
      await eventually(() => log.running === 0);
    });

    it('fails for an end that does not match its schema', async () => {
      await expect(drain(run(input('endless')))).rejects.toMatchObject({ code: 'failed' });
    });

    it.each([
      ['too_long', 'too_long'],
      ['crashed', 'crashed'],
      ['beads_missing', 'beads_missing'],
      ['ENOENT', 'failed'],
      ['constructor', 'failed'],
    ])('keeps a code that the engine declares, and no other: %s', async (failsWith, code) => {
      await expect(drain(run(input('a', { failsWith })))).rejects.toMatchObject({
        name: 'TaskError',
        code,
        message: `it is ${failsWith}`,
      });
    });

    it('returns null and stops the engine when the signal aborts', async () => {
      const caller = new AbortController();
      const stream = run(LONG, caller.signal);
      await stream.next();
      const pending = stream.next();
      caller.abort();
      const { done, value } = await pending;
      // A piece may have been on its way.
      expect(done ? value : (await stream.next()).value).toBeNull();
      await eventually(() => log.running === 0);
    });

    it('runs nothing for a signal that has aborted', async () => {
      expect(await drain(run(LONG, AbortSignal.abort()))).toEqual({ pieces: [], end: null });
      expect(log.texts).toEqual([]);
    });

    it('stops the engine when the caller abandons the stream', async () => {
      const stream = run(LONG);
      await stream.next();
      await stream.return(null);
      await eventually(() => log.running === 0);
    });

    it('is busy beyond the number of tasks, and has room again when one has ended', async () => {
      const caller = new AbortController();
      const tasks = Array.from({ length: 4 }, () => drain(run(LONG, caller.signal)));
      await eventually(() => log.running === 4);
      await expect(drain(run(input('a')))).rejects.toMatchObject({ code: 'busy' });
      caller.abort();
      await Promise.all(tasks);
      await eventually(() => log.running === 0);
      await sleep(5);
      expect((await drain(run(input('a')))).pieces).toEqual([1]);
    });

    it('fails running tasks and rejects new ones once it is closed', async () => {
      const stream = run(LONG);
      await stream.next();
      const rest = expect(drain(stream)).rejects.toMatchObject({ code: 'closed' });
      await opened.tasks.close();
      await rest;
      await expect(drain(run(input('a')))).rejects.toMatchObject({ code: 'closed' });
      await eventually(() => log.running === 0);
    });

    it('serves engines side by side, each by its own schemas', async () => {
      await opened.close();
      const end = z.strictObject({ words: z.int().max(2) });
      await serve({ name: 'counting-2', end });
      expect((await drain(run(input('a b')))).end).toEqual({ words: 2 });
      await expect(drain(run(input('a b c')))).rejects.toMatchObject({ code: 'failed' });
    });
  });
};
