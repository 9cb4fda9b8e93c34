import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { TaskError } from '#platform/tasks/task.error.js';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { OrbitRunner, TURNS } from './orbit-runner.js';
import { type OrbitEnd, type OrbitTask } from './orbits.engine.js';

const turn = () => new Promise(setImmediate);

const taskOf = (n: number): Extract<OrbitTask, { readonly kind: 'track' }> => ({
  kind: 'track',
  elements: { format: 'tle', line1: '1', line2: '2' },
  fromMs: n,
  toMs: n + 1,
  points: 2,
});

/** A runner whose tasks end when the test ends them, in the order in which they began. */
const openRunner = () => {
  const begun: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const tasks = {
    async *run(
      _engine: unknown,
      { fromMs }: OrbitTask,
      signal: AbortSignal,
    ): AsyncGenerator<never, OrbitEnd | null> {
      begun.push(fromMs);
      await new Promise<void>((resolve, reject) => {
        ends.push((error) => (error ? reject(error) : resolve()));
      });
      return signal.aborted ? null : { kind: 'track', points: [] };
    },
  } as unknown as Tasks;
  const runner = new OrbitRunner(tasks);
  const start = (account: string, n: number) => {
    const running = runner.run(account, taskOf(n));
    running.catch(() => undefined);
    return running;
  };
  return { begun, ends, start };
};

/** Time limits, which end when the test ends them. */
const limitsOf = () => {
  const limits: (readonly [ms: number, end: () => void])[] = [];
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const limit = new AbortController();
    limits.push([ms, () => limit.abort()]);
    return limit.signal;
  });
  return (isOver: (ms: number) => boolean): void => {
    for (const [ms, end] of limits) if (isOver(ms)) end();
  };
};

describe('the computations of orbits', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('of one account leave turns for others', async () => {
    const { begun, ends, start } = openRunner();
    for (const n of [1, 2, 3]) void start('loud', n);
    void start('quiet', 4);
    await turn();
    expect(begun).toEqual([1, 2, 4]);
    ends[0]?.();
    await turn();
    expect(begun).toEqual([1, 2, 4, 3]);
  });

  it('of one account that wait are bounded', async () => {
    const { begun, start } = openRunner();
    for (let n = 1; n <= TURNS.waitingMax + 2; n += 1) void start('loud', n);
    await expect(start('loud', 99)).rejects.toMatchObject({ name: 'OrbitFailure', kind: 'busy' });
    await turn();
    expect(begun).toEqual([1, 2]);
  });

  it('with a turn may take longer than others wait for one, as the first does', async () => {
    const passTime = limitsOf();
    const { ends, start } = openRunner();
    const running = start('one', 1);
    await turn();
    passTime((ms) => ms <= TURNS.waitMsMax);
    ends[0]?.();
    expect(await running).toEqual({ kind: 'track', points: [] });
  });

  it('wait for their turns and run for a limited time', async () => {
    const passTime = limitsOf();
    const { ends, start } = openRunner();
    const [running] = [start('one', 1), start('one', 2)];
    const waiting = start('one', 3);
    await turn();
    passTime((ms) => ms <= TURNS.waitMsMax);
    await expect(waiting).rejects.toMatchObject({ name: 'OrbitFailure', kind: 'busy' });
    passTime(() => true);
    ends[0]?.();
    await expect(running).rejects.toMatchObject({ name: 'OrbitFailure', kind: 'busy' });
  });

  it('run once for a question', async () => {
    const { begun, ends, start } = openRunner();
    const first = start('one', 1);
    await turn();
    ends[0]?.();
    expect(await first).toEqual({ kind: 'track', points: [] });
    expect(await start('another', 1)).toEqual({ kind: 'track', points: [] });
    expect(begun).toEqual([1]);
  });

  it.each([
    ['elements_decayed', { name: 'DomainError', code: 'elements_decayed' }],
    ['no_worker', { name: 'OrbitFailure', kind: 'away' }],
    ['busy', { name: 'OrbitFailure', kind: 'busy' }],
    ['crashed', { name: 'OrbitFailure', kind: 'failed' }],
  ])('that fail with %s say so', async (code, failure) => {
    const { ends, start } = openRunner();
    const running = start('one', 1);
    await turn();
    ends[0]?.(new TaskError(code, 'of the task'));
    await expect(running).rejects.toMatchObject(failure);
  });
});
