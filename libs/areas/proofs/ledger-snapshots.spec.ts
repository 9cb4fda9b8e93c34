import { describe, expect, it } from '@jest/globals';
import { ledgerStatement } from '#engines/proofs/ledger/ledger-statement.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { idNumber } from './ledger-leaves.js';
import { type LedgerEnd, type LedgerTask } from './ledger-prover.engine.js';
import { SNAPSHOT_EVERY_MS } from './kept-snapshot.js';
import { LedgerSnapshotHandler, LedgerSnapshotQuery } from './ledger-snapshot.query.js';
import { LEAVES_MAX, LedgerSnapshots } from './ledger-snapshots.js';
import { LEDGER_KEY } from './ledger.key.js';
import { ProofKeyBook } from './proof-key-book.js';
import { type ProofRunner } from './proof-runner.js';
import { type ProofsTask, SnarkjsKey } from './proofs.engine.js';
import { SnapshotSource, type SourceLeaf } from './snapshot-source.port.js';

const POINT = LEDGER_KEY.vk_alpha_1;
const KEY = SnarkjsKey.parse(LEDGER_KEY) as LedgerEnd['key'];

const accountsOf = (count: number): SourceLeaf[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ id: `user-${n}`, accountId: `user-${n}` },
    amount: BigInt(n),
  }));

/** The signals of the statement, with points that prove nothing. */
const provenOf = ({ leaves, before, position }: LedgerTask): LedgerEnd => {
  const { system } = ledgerStatement(
    leaves.map(({ account, balance, salt }) => ({
      account: BigInt(account),
      balance: BigInt(balance),
      salt: BigInt(salt),
    })),
    { root: BigInt(before.root), total: BigInt(before.total) },
    BigInt(position),
  );
  return {
    proof: {
      protocol: 'groth16',
      pi_a: [...POINT],
      pi_b: [...KEY.vk_beta_2],
      pi_c: [...POINT],
    },
    signals: system.witness.slice(1, 6).map(String),
    key: KEY,
  };
};

/** A ledger whose proofs are made at once, unless the test says otherwise. */
const openSnapshots = ({
  accounts = accountsOf(3),
  prove = (task: LedgerTask) => Promise.resolve(provenOf(task)),
  holds = true,
}: {
  readonly accounts?: SourceLeaf[];
  readonly prove?: (task: LedgerTask) => Promise<LedgerEnd>;
  readonly holds?: boolean;
} = {}) => {
  const world = { now: 1_000_000, position: 7n };
  class Ledger extends SnapshotSource {
    override checkpoint() {
      const { position } = world;
      return Promise.resolve({ position, size: 8, rootSha256: '00', note: 'note' });
    }
    override leavesAt() {
      return Promise.resolve({ atMs: 999_000, leaves: accounts });
    }
  }
  const asked: LedgerTask[] = [];
  const verified: ProofsTask[] = [];
  const tasks = {
    async *run(_engine: unknown, task: LedgerTask) {
      asked.push(task);
      return await prove(task);
    },
  } as unknown as Tasks;
  const proofs = {
    run: (_account: string, task: ProofsTask) => {
      verified.push(task);
      return Promise.resolve({ kind: 'verify', verified: [holds], pairings: 4, elapsedMs: 1 });
    },
  } as unknown as ProofRunner;
  const book = new ProofKeyBook({
    list: () => Promise.resolve({ documents: [], position: 1n }),
  } as never);
  const clock = { now: () => world.now };
  const secrets = { key: () => Buffer.alloc(32, 1) };
  const snapshots = new LedgerSnapshots(new Ledger(), book, proofs, tasks, secrets, clock);
  return { world, asked, verified, snapshots, query: new LedgerSnapshotHandler(snapshots, clock) };
};

describe('a snapshot of the ledger', () => {
  it('chains the proofs of 16 accounts each, in the order of their ids', async () => {
    const { snapshots, asked, verified } = openSnapshots({ accounts: accountsOf(20) });
    const snapshot = await snapshots.newest('ledger_balances');
    expect(asked.map(({ leaves }) => leaves.length)).toEqual([16, 4]);
    const [first, second] = asked;
    expect(first?.before).toEqual({ root: '0', total: '0' });
    expect(second?.before.total).toBe('120');
    expect(snapshot.total).toBe(190n);
    expect(snapshot.claims[1]?.signals).toEqual([
      snapshot.root,
      '190',
      second?.before.root,
      '120',
      '7',
    ]);
    expect(first?.leaves[2]).toMatchObject({ account: idNumber('user-2'), balance: '2' });
    // The proofs were verified under the registered key.
    expect(verified).toMatchObject([{ kind: 'verify', claims: snapshot.claims }]);
    expect(snapshot.key.keyId).toBe('ledger-balances-16');
  });

  it('of bundles is kept apart, begins with another root, and may be empty', async () => {
    const { snapshots, asked } = openSnapshots({ accounts: [] });
    const balances = await snapshots.newest('ledger_balances');
    const bundles = await snapshots.newest('orbital_bundles');
    expect(asked.map(({ before }) => before.root)).toEqual(['0', '1']);
    expect(bundles).toMatchObject({ statement: 'orbital_bundles', total: 0n, leaves: [] });
    expect(bundles.root).not.toBe(balances.root);
  });

  it('has a salt of its own for each account and position', async () => {
    const { snapshots, world, asked } = openSnapshots();
    await snapshots.newest('ledger_balances');
    Object.assign(world, { position: 9n, now: world.now + SNAPSHOT_EVERY_MS });
    await snapshots.newest('ledger_balances');
    await new Promise(setImmediate);
    const salts = asked.flatMap(({ leaves }) => leaves.map(({ salt }) => salt));
    expect(new Set(salts).size).toBe(6);
  });

  it('is proven once for a checkpoint, also for requests at once', async () => {
    const { snapshots, asked } = openSnapshots();
    const all = await Promise.all([
      snapshots.newest('ledger_balances'),
      snapshots.newest('ledger_balances'),
    ]);
    expect(await snapshots.newest('ledger_balances')).toBe(all[0]);
    expect(all[1]).toBe(all[0]);
    expect(asked).toHaveLength(1);
  });

  it('is answered while the next one is proven, and not begun again too soon', async () => {
    const { snapshots, world, asked } = openSnapshots();
    const first = await snapshots.newest('ledger_balances');
    Object.assign(world, { position: 9n });
    expect(await snapshots.newest('ledger_balances')).toBe(first);
    expect(asked).toHaveLength(1);
    world.now += SNAPSHOT_EVERY_MS;
    expect(await snapshots.newest('ledger_balances')).toBe(first);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect((await snapshots.newest('ledger_balances')).checkpoint.position).toBe(9n);
  });

  it('opens the leaf of the caller, and tells its age', async () => {
    const { query } = openSnapshots({ accounts: accountsOf(20) });
    const shown = await query.execute(new LedgerSnapshotQuery('ledger_balances', 'user-17'));
    expect(shown).toMatchObject({ ageMs: 1_000, own: [{ proof: 1, leaf: 1, balance: '17' }] });
    const other = await query.execute(new LedgerSnapshotQuery('ledger_balances', 'user-99'));
    expect(other.own).toEqual([]);
  });

  it.each([
    ['an account below zero', [{ id: 'user-1', accountId: 'user-1', amount: -1n }]],
    ['too many accounts', accountsOf(LEAVES_MAX + 1)],
  ])('is not provable with %s', async (_name, accounts) => {
    const { snapshots, asked } = openSnapshots({ accounts });
    await expect(snapshots.newest('ledger_balances')).rejects.toMatchObject({ kind: 'unprovable' });
    expect(asked).toEqual([]);
  });

  it.each([
    ['prover_missing', 'prover_missing'],
    ['no_worker', 'prover_missing'],
    ['statement_false', 'unprovable'],
    ['busy', 'away'],
    ['proof_failed', 'failed'],
  ])('fails for %s, and tries again after a while', async (code, kind) => {
    let isBroken = true;
    const { snapshots, world, asked } = openSnapshots({
      prove: (task) =>
        isBroken ? Promise.reject(new TaskError(code, 'why')) : Promise.resolve(provenOf(task)),
    });
    await expect(snapshots.newest('ledger_balances')).rejects.toMatchObject({ kind });
    await expect(snapshots.newest('ledger_balances')).rejects.toMatchObject({ kind });
    expect(asked).toHaveLength(1);
    isBroken = false;
    world.now += SNAPSHOT_EVERY_MS;
    expect((await snapshots.newest('ledger_balances')).total).toBe(3n);
  });

  it('is not handed out where its proof does not hold', async () => {
    const { snapshots } = openSnapshots({ holds: false });
    await expect(snapshots.newest('ledger_balances')).rejects.toMatchObject({ kind: 'failed' });
  });

  it('needs the key of its proofs to be registered', async () => {
    const { snapshots } = openSnapshots({
      prove: (task) =>
        Promise.resolve({
          ...provenOf(task),
          key: { ...KEY, vk_alpha_1: KEY.IC[0] ?? POINT } as never,
        }),
    });
    await expect(snapshots.newest('ledger_balances')).rejects.toMatchObject({
      kind: 'prover_missing',
      message: expect.stringMatching(/quipu proof-key register/),
    });
  });
});
