import { describe, expect, it } from '@jest/globals';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { readKey } from './claims.js';
import { LEDGER_KEY } from './ledger.key.js';
import { ProofRunner, TURNS } from './proof-runner.js';
import { type ProofsEnd, type ProofsTask } from './proofs.engine.js';

const never = new AbortController().signal;
const turn = () => new Promise(setImmediate);
const TASK: ProofsTask = { kind: 'check_key', key: readKey(LEDGER_KEY) };

/** A runner whose tasks end when the test ends them, in the order in which they began. */
const openRunner = () => {
  const ends: (() => void)[] = [];
  const tasks = {
    async *run(): AsyncGenerator<never, ProofsEnd> {
      await new Promise<void>((resolve) => ends.push(resolve));
      return { kind: 'check_key' };
    },
  } as unknown as Tasks;
  const runner = new ProofRunner(tasks);
  const run = (account: string, signal = never) => runner.run(account, TASK, signal);
  /** Runs that still wait when the test is over fail as busy. */
  const start = (account: string): void => {
    run(account).catch(() => undefined);
  };
  return { ends, run, start };
};

describe('verifications', () => {
  it('of one account leave turns for others', async () => {
    const { ends, start } = openRunner();
    for (let n = 0; n < 10; n += 1) start('loud');
    await turn();
    expect(ends).toHaveLength(2);
    start('quiet');
    await turn();
    expect(ends).toHaveLength(3);
  });

  it('of one account that wait are bounded', async () => {
    const { run, start } = openRunner();
    for (let n = 0; n < 2 + TURNS.waitingMax; n += 1) start('loud');
    await expect(run('loud')).rejects.toMatchObject({ kind: 'busy' });
  });

  it('do not begin for a caller that has left', async () => {
    const { ends, run, start } = openRunner();
    const leaving = new AbortController();
    start('loud');
    start('loud');
    const waiting = run('loud', leaving.signal);
    await turn();
    leaving.abort(new Error('left'));
    expect(await waiting).toBeUndefined();
    expect(ends).toHaveLength(2);
  });
});

describe('a key', () => {
  it('has 64 inputs at most', () => {
    const [point] = LEDGER_KEY.IC;
    const keyOf = (nPublic: number) => ({
      ...LEDGER_KEY,
      nPublic,
      IC: Array.from({ length: nPublic + 1 }, () => point),
    });
    expect(readKey(keyOf(64))).toMatchObject({ nPublic: 64 });
    expect(() => readKey(keyOf(65))).toThrow(/verification_key\.nPublic/);
  });
});
