import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { ACCOUNT, capture, deposit, open, place } from './account.fixture.js';
import {
  AccountFundsHandler,
  AccountFundsQuery,
  AddSubAccountCommand,
  AddSubAccountHandler,
  CloseAccountCommand,
  CloseAccountHandler,
  DeliverAllotmentHandler,
  MoveAllotmentCommand,
  MoveAllotmentHandler,
  OpenSubAccountHandler,
} from './allotment.handlers.js';
import { add, close, PROJECT, receive, send, TEAM } from './allotment.fixture.js';
import { type Billing, openBilling } from './billing-world.fixture.js';

const AT = Date.parse('2026-11-21T05:00:00.000Z');
const context = () => contextOf(randomUUID(), 'spec');

describe('allotments on the stores', () => {
  let billing: Billing;

  beforeEach(async () => {
    billing = await openBilling();
    await billing.run(open);
    await billing.run(deposit(10_000));
  });

  afterEach(() => billing.close());

  const clock = { now: () => AT };

  const addTeam = (childId = TEAM, accountId = ACCOUNT) => {
    const opening = new OpenSubAccountHandler(billing.accounts, clock);
    const adding = new AddSubAccountHandler(billing.accounts, opening, clock);
    return adding.execute(new AddSubAccountCommand({ accountId, childId }, context()));
  };

  const move = (accountId: string, toId: string, amount: number, allotmentId = randomUUID()) => {
    const delivery = new DeliverAllotmentHandler(billing.accounts, clock);
    const moving = new MoveAllotmentHandler(billing.accounts, delivery, clock);
    const order = { accountId, toId, allotmentId, amountMicroUsd: String(amount), reason: 'spec' };
    return moving.execute(new MoveAllotmentCommand(order, context()));
  };

  const fundsOf = (accountId: string) =>
    new AccountFundsHandler(billing.accounts).execute(new AccountFundsQuery(accountId));

  it('move down and up, and the ledger balances', async () => {
    expect(await addTeam()).toMatchObject({ childId: TEAM, depth: 1 });
    const id = randomUUID();
    await move(ACCOUNT, TEAM, 4_000, id);
    await move(ACCOUNT, TEAM, 4_000, id);
    const order = place([1_000, 1_000]).data;
    await billing.run({ type: 'PlaceHold', data: { ...order, accountId: TEAM } });
    const charge = capture([1_000, 0]).data;
    await billing.run({ type: 'CaptureHold', data: { ...charge, accountId: TEAM } });
    await move(TEAM, ACCOUNT, 1_000);
    await expect(move(TEAM, ACCOUNT, 2_851)).rejects.toMatchObject({
      code: 'allotment_above_available',
    });
    expect(await fundsOf(ACCOUNT)).toEqual({
      ...{ funded: 7_000n, charged: 0n, held: 0n, available: 7_000n },
    });
    expect(await fundsOf(TEAM)).toEqual({
      ...{ funded: 3_000n, charged: 150n, held: 0n, available: 2_850n },
    });
    const report = await billing.check();
    expect(report).toMatchObject({
      ...{ balanced: true, deposited: 10_000n, available: 9_850n, inTransit: 0n, faults: [] },
    });
  });

  it('are on the statements of both accounts, and both add up', async () => {
    await addTeam();
    await move(ACCOUNT, TEAM, 4_000);
    await move(TEAM, ACCOUNT, 1_000);
    const statements = await Promise.all(
      [ACCOUNT, TEAM].map((accountId) => billing.statement(accountId, '2026-11')),
    );
    const listed = statements.map(({ deposits, closingMicroUsd }) => [
      closingMicroUsd,
      ...deposits.map(({ depositId, method, amountMicroUsd }) =>
        [method, depositId, amountMicroUsd].join(' '),
      ),
    ]);
    expect(listed).toEqual([
      [
        ...['7000', `allotment ${TEAM} -4000`, `allotment ${TEAM} 1000`],
        'manual_credit first 10000',
      ],
      ['3000', `allotment ${ACCOUNT} 4000`, `allotment ${ACCOUNT} -1000`],
    ]);
  });

  it('that a crash cut in two are in no account, and arrive later', async () => {
    await addTeam();
    await billing.run(send(4_000));
    expect(await fundsOf(TEAM)).toMatchObject({ available: 0n });
    expect(await billing.check()).toMatchObject({
      ...{ balanced: true, deposited: 10_000n, available: 6_000n, inTransit: 4_000n },
    });
    await billing.run(receive(4_000));
    expect(await billing.check()).toMatchObject({
      ...{ balanced: true, deposited: 10_000n, available: 10_000n, inTransit: 0n },
    });
  });

  const closeTeam = (accountId = TEAM) => {
    const delivery = new DeliverAllotmentHandler(billing.accounts, clock);
    const closing = new CloseAccountHandler(billing.accounts, delivery, clock);
    return closing.execute(new CloseAccountCommand(accountId, context()));
  };

  it('go back at a close, also after a crash in it and of a team below', async () => {
    await addTeam();
    await move(ACCOUNT, TEAM, 4_000);
    await addTeam(PROJECT, TEAM);
    await move(TEAM, PROJECT, 1_000);
    await expect(closeTeam()).rejects.toMatchObject({ code: 'sub_accounts_open' });
    await billing.run(close(PROJECT));
    expect(await billing.check()).toMatchObject({ balanced: true, inTransit: 1_000n });
    await expect(closeTeam()).rejects.toMatchObject({ code: 'sub_accounts_open' });
    await closeTeam(PROJECT);
    await closeTeam();
    await closeTeam();
    expect(await fundsOf(ACCOUNT)).toMatchObject({ funded: 10_000n, available: 10_000n });
    const report = await billing.check();
    expect(report).toMatchObject({ balanced: true, available: 10_000n, inTransit: 0n, faults: [] });
    await expect(move(ACCOUNT, TEAM, 1)).rejects.toMatchObject({ code: 'account_closed' });
  });

  it('complete a sub-account that was added and not opened', async () => {
    await billing.run(add());
    await addTeam();
    await move(ACCOUNT, TEAM, 1);
    expect(await fundsOf(TEAM)).toMatchObject({ available: 1n });
  });

  it('never come to more than the balance, of 400 at once', async () => {
    await addTeam();
    const sending = Array.from({ length: 400 }, () =>
      move(ACCOUNT, TEAM, 100).then(
        () => 'sent',
        (error: unknown) => (error instanceof DomainError ? String(error.code) : String(error)),
      ),
    );
    const outcomes = await Promise.all(sending);
    expect(outcomes.filter((one) => one === 'sent')).toHaveLength(100);
    expect(outcomes.filter((one) => one === 'allotment_above_available')).toHaveLength(300);
    expect(await fundsOf(TEAM)).toMatchObject({ available: 10_000n });
    expect(await billing.check()).toMatchObject({ balanced: true, inTransit: 0n });
  });
});
