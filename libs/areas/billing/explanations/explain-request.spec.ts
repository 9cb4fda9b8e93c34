import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { drawRequestId } from '#platform/runtime/commands/request-id.js';
import { ACCOUNT, capture, deposit, open, place, type Tokens } from '../account.fixture.js';
import { type Billing, openBilling } from '../billing-world.fixture.js';
import { setBudget } from '../budgets/budget.fixture.js';
import { type Explanation } from './explain-request.handler.js';
import { BURST, SLOTS } from './rejection-memory.js';

const WORST = [1_000, 1_000] as const;
const STARTED_MS = Date.parse('2026-11-21T05:00:00.000Z');

describe('explaining a request', () => {
  let billing: Billing;
  let nowMs: number;

  beforeEach(async () => {
    nowMs = STARTED_MS;
    billing = await openBilling({ now: () => nowMs });
    await billing.run(open);
    await billing.run(deposit(2_000));
  });

  afterEach(() => billing.close());

  const orderOf = (tokens: Tokens, holdId: string) => {
    const { group: _, ...order } = place(tokens, { holdId }).data;
    return order;
  };

  /** As a chat does it; the id has the time of the store's clock. */
  const ask = async (tokens: Tokens, requestId = drawRequestId(Date.now())): Promise<string> => {
    const context = contextOf(requestId, 'user:7');
    await billing.ledger.place(orderOf(tokens, requestId), context).catch(() => undefined);
    return requestId;
  };

  /** A rejection is written beside its request. */
  const explained = async (requestId: string): Promise<Explanation> => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await billing.explain(requestId);
      } catch (error) {
        if (tries === 100) throw error;
        await sleep(10);
      }
    }
  };

  it('gives the hold and the charge, with the available amount around them', async () => {
    const requestId = await ask(WORST);
    await ask([10, 10]);
    const { data } = capture([1_000, 0], requestId);
    await billing.ledger.capture({ ...data, model: 'acme/m' }, contextOf(requestId, 'user:7'));
    const explanation = await billing.explain(requestId);
    expect(explanation).toMatchObject({
      kind: 'admitted',
      accountId: ACCOUNT,
      status: 'charged',
      complete: true,
      events: [
        {
          event: { type: 'HoldPlaced', data: { amountMicroUsd: '750', rateCardVersion: 3 } },
          availableBefore: 2_000n,
          availableAfter: 1_250n,
          revision: 2n,
        },
        {
          event: { type: 'HoldCaptured', data: { amountMicroUsd: '150' } },
          availableBefore: 1_242n,
          availableAfter: 1_842n,
          revision: 4n,
        },
      ],
    });
    expect(await billing.explain(requestId, ACCOUNT)).toEqual(explanation);
  });

  it('explains as of a past state of the log', async () => {
    const requestId = await ask(WORST);
    const held = await billing.eventStore.head();
    const { data } = capture([1_000, 0], requestId);
    await billing.ledger.capture({ ...data, model: 'acme/m' }, contextOf(requestId, 'user:7'));
    const asOf = (size: bigint) => billing.explain(requestId, ACCOUNT, { size });
    expect(await asOf(held)).toMatchObject({
      status: 'open',
      events: [{ event: { type: 'HoldPlaced' } }],
    });
    expect(await asOf(held + 1n)).toMatchObject({ status: 'charged' });
    await expect(asOf(held - 1n)).rejects.toMatchObject({ code: 'request_not_found' });
  });

  it('lists the remembered rejections of an account, the last one first', async () => {
    await ask(WORST);
    const ids: string[] = [];
    for (let asked = 0; asked < 3; asked += 1) {
      nowMs += 1_000;
      ids.unshift(await ask([9_000, 9_000]));
      await explained(ids[0] ?? '');
    }
    const listed = await billing.rejections.list(ACCOUNT);
    expect(listed.map(({ requestId }) => requestId)).toEqual(ids);
    expect(listed[0]).toMatchObject({ code: 'insufficient_balance', accountId: ACCOUNT });
    expect(await billing.rejections.list('another')).toEqual([]);
  });

  it('gives an open hold, and one whose id has no time', async () => {
    const requestId = await ask(WORST, randomUUID());
    expect(await billing.explain(requestId, ACCOUNT)).toMatchObject({
      kind: 'admitted',
      status: 'open',
      events: [{ event: { type: 'HoldPlaced' } }],
    });
  });

  it('says with which facts a request was rejected', async () => {
    await billing.run(setBudget({ dayMicroUsd: '1000' }));
    await ask(WORST);
    const before = await billing.eventStore.head();
    const requestId = await ask([2_000, 0]);
    expect(await explained(requestId)).toMatchObject({
      kind: 'rejected',
      askedMicroUsd: 300n,
      rejection: {
        accountId: ACCOUNT,
        code: 'budget_exceeded',
        rejectedAt: '2026-11-21T05:00:00.000Z',
        facts: {
          reason: 'in_flight',
          window: 'day',
          limit_micro_usd: '1000',
          held_micro_usd: '750',
          asked_micro_usd: '300',
        },
        asked: { purpose: 'translation', rateCardVersion: 3, key: null },
        revision: '3',
      },
      position: before,
      evidence: { available: 1_250n, position: before },
    });
  });

  it('says why an account without money was rejected before a price', async () => {
    await ask([1_000, 3_083]);
    const requestId = drawRequestId(Date.now());
    const demand = async () => billing.ledger.demandFunds(ACCOUNT, requestId);
    await expect(demand()).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(await explained(requestId)).toMatchObject({
      askedMicroUsd: null,
      rejection: { facts: { reason: 'in_flight', available_micro_usd: '0' }, asked: null },
      evidence: { available: 0n },
    });
  });

  it('knows nothing of other requests, and of requests of another account', async () => {
    const notFound = { code: 'request_not_found' };
    await expect(billing.explain(drawRequestId(Date.now()))).rejects.toMatchObject(notFound);
    const requestId = await ask(WORST);
    await expect(billing.explain(requestId, '8')).rejects.toMatchObject(notFound);
  });

  it('remembers few of many rejections, and leaves the log as it is', async () => {
    const remembered = async (ids: readonly string[]): Promise<number> => {
      const found = await Promise.all(ids.map((id) => billing.rejections.find(id, ACCOUNT)));
      return found.filter((one) => one !== undefined).length;
    };
    const ids: string[] = [];
    const head = await billing.eventStore.head();
    for (let n = 0; n < BURST + 10; n += 1) {
      // Each in a slot of its own.
      const id = drawRequestId(Date.now()).slice(0, -4) + n.toString(16).padStart(4, '0');
      ids.push(await ask([1_000_000, 0], id));
    }
    await explained(ids[BURST - 1] ?? '');
    expect(await remembered(ids.slice(BURST))).toBe(0);
    expect(await remembered(ids)).toBe(BURST);
    nowMs += 2_000;
    const later = await ask([1_000_000, 0]);
    expect(await explained(later)).toMatchObject({ kind: 'rejected' });
    expect(await billing.eventStore.head()).toBe(head);
  });

  it('keeps one rejection in a slot', async () => {
    const rejection = {
      accountId: ACCOUNT,
      rejectedAt: '2026-11-21T05:00:00.000Z',
      code: 'insufficient_balance',
      message: 'too little',
      facts: {},
      revision: '4',
      asked: null,
    };
    const id = (n: number): string => `01890a5d-ac96-774b-bcce-${n.toString(16).padStart(12, '0')}`;
    const later = '2026-11-21T05:00:01.000Z';
    await billing.rejections.remember({ ...rejection, requestId: id(1) });
    await billing.rejections.remember({ ...rejection, requestId: id(2) });
    await billing.rejections.remember({
      ...rejection,
      requestId: id(1 + SLOTS),
      rejectedAt: later,
    });
    expect(await billing.rejections.find(id(1), null)).toBeUndefined();
    expect(await billing.rejections.find(id(2), null)).toMatchObject({ requestId: id(2) });
    expect(await billing.rejections.find(id(1 + SLOTS), ACCOUNT)).toMatchObject({ revision: '4' });
  });
});
