import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type HoldOrder } from '#platform/ledger/hold.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import {
  ACCOUNT,
  capture,
  deposit,
  ENDED_AT,
  open,
  place,
  release,
  type Tokens,
} from '../account.fixture.js';
import { accountStream } from '../accounts.js';
import { type Billing, openBilling } from '../billing-world.fixture.js';
import { WAITING_PER_ACCOUNT_MAX } from './waiting-holds.js';

/** Costs 750 micro-dollars. */
const WORST = [1_000, 1_000] as const;
/** Costs 195. */
const USED = [900, 100] as const;
const CLOCK = { now: () => Date.parse('2026-11-21T05:00:00.000Z') };
const LONG_MS = 10_000;

const orderOf = (holdId: string, tokens: Tokens = WORST): HoldOrder => {
  const { group: _, ...order } = place(tokens, { holdId }).data;
  return order;
};
const context = () => contextOf(randomUUID(), 'spec');
const never = new AbortController().signal;

describe('holds that wait for the holds of others', () => {
  let billing: Billing;
  const [first, second] = [randomUUID(), randomUUID()];
  const open1000 = async (waitMsMax: number): Promise<void> => {
    billing = await openBilling(CLOCK, { waitMsMax });
    await billing.run(open);
    await billing.run(deposit(1_000));
    await billing.ledger.place(orderOf(first), context());
  };
  const charge = (holdId: string, tokens: Tokens = USED) =>
    billing.ledger.capture({ ...capture(tokens, holdId).data, model: 'acme/m' }, context());
  const wait = (holdId: string, signal = never, tokens: Tokens = WORST) =>
    billing.ledger.place(orderOf(holdId, tokens), context(), signal);
  const types = async (): Promise<readonly string[]> => {
    const pages = await Array.fromAsync(billing.eventStore.read(accountStream(ACCOUNT)));
    return pages.flat().map(({ type }) => type);
  };

  beforeEach(() => open1000(LONG_MS));
  afterEach(() => billing.close());

  it('places a hold when a charge gives back enough', async () => {
    const waiting = wait(second);
    await charge(first);
    expect(await waiting).toMatchObject({ amountMicroUsd: 750n, availableMicroUsd: 55n });
  });

  it('places a hold when a release gives back enough', async () => {
    const waiting = wait(second);
    const { reason } = release(first).data;
    const hold = { accountId: ACCOUNT, holdId: first, releasedAt: ENDED_AT };
    await billing.ledger.release({ ...hold, reason }, context());
    expect(await waiting).toMatchObject({ availableMicroUsd: 250n });
  });

  it('sees a deposit, an expired hold and the charge of another process', async () => {
    const waiting = wait(second);
    // Commands that do not pass this ledger.
    await billing.run(capture(USED, first));
    expect(await waiting).toMatchObject({ availableMicroUsd: 55n });
    const third = wait(randomUUID());
    await billing.run(deposit(1_000, 'second'));
    expect(await third).toMatchObject({ availableMicroUsd: 305n });
  });

  it('rejects a hold at once that no end of a hold could cover', async () => {
    await expect(wait(second, never, [1_000, 2_000])).rejects.toMatchObject({
      metadata: { reason: 'insufficient_balance' },
    });
  });

  it('rejects a waiting hold once what others charged leaves too little', async () => {
    const waiting = wait(second);
    await charge(first, WORST);
    await expect(waiting).rejects.toMatchObject({ metadata: { reason: 'insufficient_balance' } });
  });

  it('places one that fits before an older one that does not', async () => {
    await billing.run(deposit(1_000, 'second'));
    await billing.ledger.place(orderOf(second), context());
    const large = wait(randomUUID(), never, [1_000, 2_000]);
    const small = wait(randomUUID(), never, [0, 1_000]);
    await charge(first);
    expect(await small).toMatchObject({ amountMicroUsd: 600n, availableMicroUsd: 455n });
    await billing.run(deposit(1_000, 'third'));
    expect(await large).toMatchObject({ amountMicroUsd: 1_350n, availableMicroUsd: 105n });
  });

  it('ends the wait of a caller that leaves, and places nothing for it', async () => {
    const leaving = new AbortController();
    const left = wait(second, leaving.signal);
    const stays = wait(randomUUID());
    await sleep(20);
    leaving.abort(new RequestCutError('client_gone'));
    await expect(left).rejects.toBeInstanceOf(RequestCutError);
    await charge(first);
    expect(await stays).toMatchObject({ availableMicroUsd: 55n });
    expect((await types()).filter((type) => type === 'HoldPlaced')).toHaveLength(2);
  });

  it('passes the first check of an account whose money is all held', async () => {
    await billing.ledger.place(orderOf(second, [1_000, 166]), context());
    await expect(Promise.resolve(billing.ledger.demandFunds(ACCOUNT))).resolves.toBeUndefined();
  });

  it('bounds the waiting requests of an account; the next one is rejected as before', async () => {
    const leaving = new AbortController();
    const waiting = Array.from({ length: WAITING_PER_ACCOUNT_MAX }, () =>
      wait(randomUUID(), leaving.signal).catch(() => 'left'),
    );
    await sleep(200);
    const inFlight = { code: 'insufficient_balance', metadata: { reason: 'in_flight' } };
    await expect(wait(second)).rejects.toMatchObject(inFlight);
    leaving.abort(new RequestCutError('client_gone'));
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['left']));
  });
});

describe.each([
  ['without a signal', 10_000, undefined],
  ['after the stated time', 30, never],
  ['at once where no wait is allowed', 0, never],
])('a hold that the holds of others leave no money for', (when, waitMsMax, signal) => {
  it(`is rejected ${when}, and may be tried again`, async () => {
    const billing = await openBilling(CLOCK, { waitMsMax });
    try {
      await billing.run(open);
      await billing.run(deposit(1_000));
      await billing.ledger.place(orderOf(randomUUID()), context());
      const placing = billing.ledger.place(orderOf(randomUUID()), context(), signal);
      await expect(placing).rejects.toMatchObject({
        code: 'insufficient_balance',
        metadata: { reason: 'in_flight', retry_after_seconds: 1 },
      });
    } finally {
      await billing.close();
    }
  });
});
