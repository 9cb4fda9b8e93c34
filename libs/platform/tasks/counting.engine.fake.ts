import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineEngine, type Engine, type EngineDefinition } from './engine.js';

const CountingInput = z.strictObject({
  text: z.string(),
  /** Before each piece; 0 for none. */
  pauseMs: z.int(),
  /** The engine throws an error with this code behind the last piece, unless it is empty. */
  failsWith: z.string(),
});
export type CountingInput = z.infer<typeof CountingInput>;

const CountingEnd = z.strictObject({ words: z.int() });
export type CountingEnd = z.infer<typeof CountingEnd>;

export type CountingDefinition = EngineDefinition<CountingInput, number, CountingEnd>;

/** The actions of the fake engine, over all processes that opened it. */
export class CountingLog {
  openings = 0;
  closings = 0;
  /** The text of every task that ran. */
  readonly texts: string[] = [];
  running = 0;
}

/**
 * An engine that is as far from text as a second one can be: it answers with the length of each
 * word, and then with their number.
 */
export const countingEngine = (
  log: CountingLog,
  changes: Partial<CountingDefinition> = {},
): CountingDefinition =>
  defineEngine<CountingInput, number, CountingEnd>({
    name: 'counting',
    input: CountingInput,
    piece: z.int().positive(),
    end: CountingEnd,
    tasksMax: { worker: 4, inProcess: 4 },
    failures: { beads_missing: 'elsewhere', too_long: 'final', crashed: 'final' },
    canRunHere: () => Promise.resolve(null),
    open: () => {
      log.openings += 1;
      return Promise.resolve(new CountingEngine(log));
    },
    ...changes,
  });

/** Counts the words `-` as of no length, which its schema of pieces rejects. */
class CountingEngine implements Engine<CountingInput, number, CountingEnd> {
  readonly #closing = new AbortController();
  #words = 0;

  constructor(private readonly log: CountingLog) {}

  async *run(
    { text, pauseMs, failsWith }: CountingInput,
    signal: AbortSignal,
  ): AsyncGenerator<number, CountingEnd, void> {
    const words = text.split(' ');
    const stopped = AbortSignal.any([signal, this.#closing.signal]);
    this.log.texts.push(text);
    this.log.running += 1;
    try {
      for (const word of words) {
        if (pauseMs > 0) await this.#pause(pauseMs, stopped);
        yield word === '-' ? 0 : word.length;
      }
      if (failsWith !== '') throw errorWith(failsWith);
      this.#words += words.length;
      return { words: text === 'endless' ? Number.NaN : words.length };
    } finally {
      this.log.running -= 1;
    }
  }

  status() {
    return { ready: true, reasons: [], facts: { beads: 10, wood: 'oak' } };
  }

  counts() {
    const help = 'Words counted by tasks that were done.';
    return [{ name: 'quipu_worker_words_total', help, total: this.#words }];
  }

  close(): Promise<void> {
    this.log.closings += 1;
    this.#closing.abort();
    return Promise.resolve();
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await sleep(ms, undefined, { signal });
    } catch (error) {
      throw this.#closing.signal.aborted ? errorWith('closed') : error;
    }
  }
}

const errorWith = (code: string): Error => Object.assign(new Error(`it is ${code}`), { code });

/** The host of a process under test. */
export const engineHost = (place: 'worker' | 'in-process', instance: string) => ({
  place,
  instance,
  home: '/nowhere',
  modelFolders: [],
  settings: new Map(),
  clock: { now: () => Date.now() },
  logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
});
