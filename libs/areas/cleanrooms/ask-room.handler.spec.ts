import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type DomainError } from '#platform/kernel/domain-error.js';
import { NOW, type RoomProcess, RoomWorld, waits } from './room-world.fixture.js';
import { CONTRIBUTOR, idOf, OUTSIDER, OWNER } from './rooms.fixture.js';
import { ChangeRoomCommand, ChangeRoomHandler } from './change-room.handler.js';

const world = () => {
  const stage: { world: RoomWorld; process: RoomProcess } = {} as never;
  beforeEach(async () => {
    stage.world = new RoomWorld();
    await stage.world.begin();
    stage.process = stage.world.open();
  });
  afterEach(() => stage.world.end());
  return stage;
};

const failed = (code: string): unknown => expect.objectContaining({ name: 'DomainError', code });

/** A query that no other one repeats. */
const hours = (from: number) => ({ where: [{ column: 'wait_hours', from }] });

describe('a question to a room', () => {
  const stage = world();
  const types = () => stage.world.log.log.events.map(({ type }) => type);

  it('reserves before the noise and spends before the answer, and then charges', async () => {
    const { world: w, process } = stage;
    const room = await w.create(process);
    await w.deposit(process, room, waits(100));
    const answered = await w.ask(process, room, { epsilon: '0.5' });
    expect(types().slice(-2)).toEqual(['PrivacyReserved', 'PrivacySpent']);
    expect(w.ledger.calls).toEqual(['place', 'capture completed']);
    expect(w.ledger.captured.lines).toMatchObject([{ meter: 'privacy_spends', quantity: 1 }]);
    expect(answered).toMatchObject({
      isNew: true,
      spent: {
        ...{ mechanism: 'discrete_laplace', sensitivity: '1', epsilon: '1/2', delta: '0' },
        ...{ cost: '1/2', accountantVersion: 1 },
      },
      budget: { total: 4_000_000, spent: 500_000, remaining: 3_500_000, reserved: 0 },
    });
    if (answered.answer.kind !== 'cells') throw new Error('no cells');
    const [cell] = answered.answer.cells;
    // 60 is beyond the noise of a thousand million million answers.
    expect(Math.abs((cell?.value ?? 0) - 100)).toBeLessThan(60);
    expect(cell?.interval[1]).toBe((cell?.value ?? 0) + 6);
  });

  it('gets the stored answer again, without a spend and free of charge', async () => {
    const { world: w, process } = stage;
    const room = await w.create(process);
    await w.deposit(process, room, waits(100));
    const first = await w.ask(process, room, { epsilon: '0.5', ...hours(1) });
    // Another process, the same query with its fields in another order.
    const again = await w.ask(w.open(), room, { ...hours(1), epsilon: '0.5' });
    expect(again).toMatchObject({ answer: first.answer, spent: first.spent, isNew: false });
    expect(again.budget.spent).toBe(500_000);
    expect(w.ledger.captures.map(({ lines }) => lines[0]?.quantity)).toEqual([1, 0]);
    await w.deposit(process, room, waits(10), idOf(1, 2));
    expect((await w.ask(process, room, { epsilon: '0.5', ...hours(1) })).isNew).toBe(true);
  });

  it('is rejected with the rest of the budget, before anything is held', async () => {
    const { world: w, process } = stage;
    const room = await w.create(process);
    await w.deposit(process, room, waits(10));
    await w.ask(process, room, { epsilon: '3.75' });
    await expect(w.ask(process, room, { epsilon: '0.3' })).rejects.toMatchObject({
      code: 'privacy_budget_exceeded',
      detail: 'the query spends 0.3 epsilon, and 0.25 is left',
      metadata: { unit: 'epsilon', cost: '3/10', remaining: '1/4' },
    });
    expect(w.ledger.calls).toEqual(['place', 'capture completed']);
  });

  it('of an outsider and of a contributor is rejected', async () => {
    const { world: w, process } = stage;
    const room = await w.create(process);
    await w.deposit(process, room, waits(10));
    const by = (accountId: string) => w.ask(process, room, { epsilon: '1' }, { accountId });
    await expect(by(OUTSIDER)).rejects.toEqual(failed('cleanroom_not_found'));
    await expect(by(CONTRIBUTOR)).rejects.toEqual(failed('cleanroom_role_missing'));
    await expect(by(OWNER)).rejects.toEqual(failed('cleanroom_role_missing'));
    const nowhere = w.ask(process, idOf(5, 5), { epsilon: '1' });
    await expect(nowhere).rejects.toEqual(failed('cleanroom_not_found'));
  });

  it('admits exactly the budget of concurrent queries in two processes', async () => {
    const { world: w, process } = stage;
    const room = await w.create(process, { totalEpsilon: '10' });
    await w.deposit(process, room, waits(10));
    const other = w.open();
    const asked = Array.from({ length: 100 }, (_, n) => ({
      where: [{ column: 'wait_hours', from: (n % 10) / 4, to: 3 + Math.floor(n / 10) / 4 }],
      epsilon: '0.25',
    }));
    const outcomes = await Promise.allSettled(
      asked.map((query, n) => w.ask(n % 2 === 0 ? process : other, room, query)),
    );
    const rejected = outcomes.flatMap((one) =>
      one.status === 'rejected' ? [one.reason as DomainError] : [],
    );
    expect(outcomes.length - rejected.length).toBe(40);
    expect(new Set(rejected.map(({ code }) => code))).toEqual(new Set(['privacy_budget_exceeded']));
    const { room: after, reservations } = await process.rooms.stateOf(room);
    expect(after).toMatchObject({ spent: '10', reserved: '0', computations: 40 });
    expect(reservations.size).toBe(0);
    expect(w.ledger.ends.filter((end) => end === 'capture completed')).toHaveLength(40);
  });

  it('reads no row that was withdrawn', async () => {
    const { world: w, process } = stage;
    const room = await w.create(process, { totalEpsilon: '1000', contributorsMin: 1 });
    await w.deposit(process, room, waits(50));
    await w.deposit(process, room, waits(5), idOf(1, 2));
    const data = { by: CONTRIBUTOR, contributionId: idOf(1, 1) };
    const change = { type: 'WithdrawContribution', data } as const;
    const handler = new ChangeRoomHandler(process.rooms, w.clock);
    const before = await process.rooms.stateOf(room);
    await handler.execute(new ChangeRoomCommand(room, change, w.context()));
    const [gone] = before.room?.contributions ?? [];
    await process.rows.destroy(room, idOf(1, 1), gone?.blob ?? '');
    const { answer } = await w.ask(process, room, { epsilon: '100' });
    expect(answer).toMatchObject({ cells: [{ value: 5 }] });
    if (!before.room) throw new Error('no room');
    await expect(process.rows.read(before.room)).rejects.toMatchObject({ code: 'blob-erased' });
  });
});

describe('a query that fails', () => {
  const stage = world();

  const opened = async () => {
    const { world: w, process } = stage;
    const room = await w.create(process);
    await w.deposit(process, room, waits(10));
    return { w, process, room };
  };
  const budgetOf = async (process: RoomProcess, room: string) =>
    (await process.rooms.stateOf(room)).room;

  it('in its computation gives privacy and money back', async () => {
    const { w, process, room } = await opened();
    process.runner.run = () => Promise.reject(new Error('the thread ended'));
    await expect(w.ask(process, room, { epsilon: '1' })).rejects.toMatchObject({
      name: 'CleanroomFailure',
      kind: 'failed',
    });
    expect(await budgetOf(process, room)).toMatchObject({ spent: '0', reserved: '0' });
    expect(w.ledger.calls).toEqual(['place', 'release internal_error']);
  });

  it('in the answer store gives no answer, and both back', async () => {
    const { w, process, room } = await opened();
    process.answers.put = () => Promise.reject(new Error('the disk is full'));
    await expect(w.ask(process, room, { epsilon: '1' })).rejects.toThrow('the disk is full');
    expect(await budgetOf(process, room)).toMatchObject({ spent: '0', reserved: '0' });
    expect(w.ledger.ends).toEqual(['release internal_error']);
  });

  it('at the charge has spent its privacy, and a retry gets the answer', async () => {
    const { w, process, room } = await opened();
    w.ledger.failures.capture = new Error('the log is away');
    await expect(w.ask(process, room, { epsilon: '1' })).rejects.toThrow('the log is away');
    delete w.ledger.failures.capture;
    const retried = await w.ask(process, room, { epsilon: '1' });
    expect(retried).toMatchObject({ isNew: false, budget: { spent: 1_000_000 } });
  });

  it('with an ended reservation gives no answer', async () => {
    const { w, process, room } = await opened();
    const put = process.answers.put.bind(process.answers);
    process.answers.put = async (...given) => {
      // The saga ends it while the process sleeps.
      const [[spendId = ''] = []] = (await process.rooms.stateOf(room)).reservations;
      const data = { spendId, releasedAt: new Date(NOW).toISOString() };
      await w.open().rooms.run(room, { type: 'ReleasePrivacy', data }, w.context());
      return put(...given);
    };
    const asking = w.ask(process, room, { epsilon: '1' });
    await expect(asking).rejects.toEqual(failed('privacy_reservation_ended'));
    expect(await budgetOf(process, room)).toMatchObject({ spent: '0', reserved: '0' });
    expect(w.ledger.ends).toEqual(['release refused']);
  });
});

describe('rows', () => {
  const stage = world();

  it.each([
    [[['east', 1]], 'rows[0].clinic'],
    [
      [
        ['north', 1],
        ['north', 12.25],
      ],
      'rows[1].wait_hours',
    ],
    [[['north', 0.1]], 'rows[0].wait_hours'],
    [[['north', '1']], 'rows[0].wait_hours'],
    [[['north']], 'rows[0]'],
    [[], 'rows'],
    ['rows', 'rows'],
  ])('outside the schema are rejected by name, and none is stored: %j', async (rows, name) => {
    const { world: w, process } = stage;
    const room = await w.create(process);
    await expect(w.deposit(process, room, rows as never)).rejects.toMatchObject({
      code: 'cleanroom_rows_invalid',
      detail: expect.stringContaining(`${name}: expected`),
    });
    expect((await process.rooms.stateOf(room)).room?.contributions).toEqual([]);
  });

  it('are no text in the log', async () => {
    const { world: w, process } = stage;
    const room = await w.create(process, {}, [
      { kind: 'category', name: 'word', values: ['a', 'canary'] },
    ]);
    const isCanary = ({ data }: { data: unknown }) => JSON.stringify(data).includes('canary');
    const known = w.log.log.events.filter(isCanary).length;
    await w.deposit(process, room, [['canary']]);
    await w.ask(process, room, { epsilon: '1' });
    expect(w.log.log.events.filter(isCanary)).toHaveLength(known);
  });
});

describe('a room of the rule zcdp', () => {
  const stage = world();

  it('adds rho, and shows the epsilon of the sum', async () => {
    const { world: w, process } = stage;
    const terms = { rule: 'zcdp', totalEpsilon: '3', totalDelta: '0.000001' } as const;
    const room = await w.create(process, terms);
    await w.deposit(process, room, waits(100));
    const noisy = await w.ask(process, room, { rho: '0.01' });
    expect(noisy.spent).toMatchObject({ mechanism: 'discrete_gaussian', cost: '1/100' });
    expect(noisy.spent.delta).toBe('0.000001');
    const pure = await w.ask(process, room, { epsilon: '0.1' });
    expect(pure.spent).toMatchObject({ mechanism: 'discrete_laplace', cost: '1/200' });
    const { budget } = pure;
    expect(budget.total - budget.spent).toBe(budget.remaining);
    // Below the classic bound, rho + 2 sqrt(rho ln(1 / delta)), of the sum 0.015.
    expect(budget.spent).toBeGreaterThan(600_000);
    expect(budget.spent).toBeLessThan(925_536);
    await expect(w.ask(process, room, { rho: '0.5' })).rejects.toMatchObject({
      code: 'privacy_budget_exceeded',
      metadata: { unit: 'rho' },
    });
  });
});
