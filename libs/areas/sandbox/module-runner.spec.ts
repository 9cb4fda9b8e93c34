import { describe, expect, it } from '@jest/globals';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { ModuleRunner } from './module-runner.js';
import { type WasmEnd, type WasmTask } from './wasm.engine.js';

const SETTINGS = {
  memoryMbMax: 256,
  fuelMax: 1_000_000,
  wallMsMax: 1_000,
  runsMax: 3,
  runsPerAccountMax: 2,
};
const never = new AbortController().signal;
const turn = () => new Promise(setImmediate);

/** A runner whose tasks end when the test ends them, in the order in which they began. */
const openRunner = () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const tasks = {
    async *run(_engine: unknown, { entryPoint }: WasmTask): AsyncGenerator<never, WasmEnd> {
      begun.push(entryPoint);
      await new Promise<void>((resolve) => ends.push(resolve));
      return { outcome: 'completed' } as WasmEnd;
    },
  } as unknown as Tasks;
  const runner = new ModuleRunner(tasks, SETTINGS);
  const run = (account: string, signal = never) =>
    runner.run(account, { entryPoint: account } as WasmTask, signal);
  /** Runs that still wait when the test is over fail as busy. */
  const start = (account: string): void => {
    run(account).catch(() => undefined);
  };
  return { begun, ends, run, start };
};

describe('the runs of modules', () => {
  it('of one account leave turns for others, however many wait', async () => {
    const { begun, ends, start } = openRunner();
    for (let n = 0; n < 10; n += 1) start('loud');
    for (const account of ['quiet', 'other']) start(account);
    await turn();
    expect(begun).toEqual(['loud', 'loud', 'quiet', 'other']);
    ends[0]?.();
    ends[2]?.();
    await turn();
    expect(begun.slice(4)).toEqual(['loud']);
  });

  it('of one account that wait are bounded', async () => {
    const { begun, run, start } = openRunner();
    for (let n = 0; n < 18; n += 1) start('loud');
    await expect(run('loud')).rejects.toMatchObject({ name: 'SandboxError', kind: 'busy' });
    expect(begun).toHaveLength(2);
  });

  it('do not begin for a caller that has left', async () => {
    const { begun, run, start } = openRunner();
    const leaving = new AbortController();
    start('loud');
    start('loud');
    const waiting = run('loud', leaving.signal);
    await turn();
    leaving.abort(new Error('left'));
    expect(await waiting).toBeUndefined();
    expect(begun).toHaveLength(2);
  });
});
