import { beforeAll, describe, expect, it } from '@jest/globals';
import { HoldCaptured, HoldExpired, HoldReleased } from '#events/billing/account.events.js';
import { type HoldOrigin } from '#events/hold.vocabulary.js';
import { requests } from '#projections/requests/requests.projection.js';
import {
  LOOKED_AT_MAX,
  RequestHandler,
  RequestQuery,
  RequestsHandler,
  type RequestsOrder,
  RequestsQuery,
} from './list-requests.handler.js';
import { requestFields } from './request-fields.js';
import { FoldedDocuments } from './requests-world.fixture.js';

const KEY = '2b9ac6a26d6d9ca1';
const START = Date.parse('2026-11-21T05:00:00.000Z');
const idOf = (n: number): string => `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`;
const at = (n: number): string => new Date(START + n * 1_000).toISOString();

type Origin = Partial<HoldOrigin>;

const charge = (n: number, origin: Origin = {}, more: Partial<HoldCaptured['data']> = {}) =>
  HoldCaptured.of({
    accountId: '7',
    holdId: idOf(n),
    purpose: 'chat_completion',
    rig: 'rack',
    lines: [
      { meter: 'input_tokens', quantity: 900, unitPriceMicroUsd: '150000', perUnits: 1_000_000 },
      {
        ...{ step: 'again', tier: { service: 'flex' }, meter: 'input_tokens', quantity: 100 },
        ...{ unitPriceMicroUsd: '150000', perUnits: 1_000_000 },
      },
    ],
    usageSource: 'provider',
    excess: [],
    outcome: 'completed',
    evidence: {},
    capturedAt: at(n),
    placedAt: at(n - 2),
    group: 'inference',
    rateCardVersion: 3,
    amountMicroUsd: '150',
    releasedMicroUsd: '0',
    availableMicroUsd: '0',
    ...origin,
    ...more,
  });

const freed = (n: number, origin: Origin) => ({
  ...{ accountId: '7', holdId: idOf(n), purpose: 'chat_completion', placedAt: at(n - 2) },
  ...{ amountMicroUsd: '5', availableMicroUsd: '0', ...origin },
});

const labels = { key: KEY, tags: ['env=prod', 'project=a'], endUser: 'ab'.repeat(32) };

const EVENTS = [
  charge(1, { ...labels, mode: 'auto', model: 'acme/m' }, { firstByteMs: 412 }),
  charge(2, { model: 'acme/m/b', tags: ['project=a/2026'] }),
  HoldReleased.of({ ...freed(3, labels), reason: 'upstream_failed', releasedAt: at(3) }),
  HoldExpired.of({ ...freed(4, { model: 'acme/m' }), expiredAt: at(4) }),
  charge(5, { model: 'acme/m', tags: ['project=a'] }, { rig: 'mill' }),
  charge(6, { model: 'acme/m', tags: ['project=a'] }, { accountId: '70' }),
];

describe('the requests of an account', () => {
  const documents = new FoldedDocuments(requests);
  const names = { of: () => Promise.resolve(new Map([[KEY, 'nightly']])) };
  const handler = new RequestsHandler(documents.projections, names);

  beforeAll(() => documents.take(EVENTS));

  const pageOf = (order: Partial<RequestsOrder>) =>
    handler.execute(
      new RequestsQuery({ accountId: '7', filter: {}, limit: 10, after: null, ...order }),
    );
  const idsOf = async (order: Partial<RequestsOrder>) =>
    (await pageOf(order)).requests.map(({ id }) => Number(id.slice(-12)));

  it('are listed with the facts of their ends, the last first', async () => {
    const { requests: found, nextAfter } = await pageOf({});
    expect(found.map(({ id, status }) => [Number(id.slice(-12)), status])).toEqual([
      [5, 'charged'],
      [4, 'expired'],
      [3, 'released'],
      [2, 'charged'],
      [1, 'charged'],
    ]);
    expect(nextAfter).toBeNull();
    expect(found.map(requestFields).at(-1)).toEqual({
      id: idOf(1),
      placed_at: at(-1),
      ended_at: at(1),
      status: 'charged',
      reason: 'completed',
      product: 'chat_completion',
      mode: 'auto',
      model: 'acme/m',
      rigs: ['rack'],
      key_id: KEY,
      key_name: 'nightly',
      end_user: labels.endUser,
      tags: labels.tags,
      usage: [{ meter: 'input_tokens', quantity: 1_000 }],
      price_tiers: [{ service: 'flex', above_input_tokens: null, period: null, residency: null }],
      cost_usd: '0.00015',
      first_byte_ms: 412,
      total_ms: 2_000,
      guard_hits: [],
    });
    expect(found.map(requestFields)[2]).toMatchObject({
      reason: 'upstream_failed',
      cost_usd: '0',
      first_byte_ms: null,
      usage: [],
    });
  });

  it.each([
    [{ model: 'acme/m' }, [5, 4, 1]],
    [{ model: 'acme/m/b' }, [2]],
    [{ key: KEY }, [3, 1]],
    [{ rig: 'mill' }, [5]],
    [{ user: labels.endUser }, [3, 1]],
    [{ tag: 'project=a' }, [5, 3, 1]],
    [{ status: 'released' }, [3]],
    [{ status: 'charged' }, [5, 2, 1]],
    [{ tag: 'project=a', status: 'charged' }, [5, 1]],
    [{ tag: 'project=a', rig: 'rack' }, [1]],
    [{ model: 'acme' }, []],
  ])('are found by %j', async (filter, ids) => {
    expect(await idsOf({ filter })).toEqual(ids);
  });

  it('are found by the time of their end', async () => {
    expect(await idsOf({ from: at(2), to: at(4) })).toEqual([3, 2]);
    expect(await idsOf({ from: at(2), filter: { model: 'acme/m' } })).toEqual([5, 4]);
  });

  it.each([{}, { tag: 'project=a' }, { status: 'charged' }, { tag: 'project=a', key: KEY }])(
    'have no gap and no repetition between pages: %j',
    async (filter) => {
      const all = await idsOf({ filter });
      for (const limit of [1, 2]) {
        const seen: number[] = [];
        let after: string | null = null;
        do {
          const page: Awaited<ReturnType<typeof pageOf>> = await pageOf({ filter, limit, after });
          expect(page.requests.length).toBeLessThanOrEqual(limit);
          seen.push(...page.requests.map(({ id }) => Number(id.slice(-12))));
          after = page.nextAfter;
          if (after !== null) expect(after).toMatch(/^[!-~]{1,128}$/);
        } while (after !== null);
        expect(seen).toEqual(all);
      }
    },
  );

  it('are found by their id, in their account only', async () => {
    const one = new RequestHandler(handler);
    const { request } = await one.execute(new RequestQuery('7', idOf(3)));
    expect(request).toMatchObject({ status: 'released' });
    await expect(one.execute(new RequestQuery('7', idOf(6)))).rejects.toMatchObject({
      code: 'ended_request_not_found',
    });
  });
});

describe('a page of many requests', () => {
  const MANY = 3_000;
  const documents = new FoldedDocuments(requests);
  const handler = new RequestsHandler(documents.projections, {
    of: () => Promise.resolve(new Map<string, string>()),
  });
  const ask = (filter: RequestsOrder['filter']) =>
    handler.execute(new RequestsQuery({ accountId: '7', filter, limit: 20, after: null }));

  beforeAll(async () => {
    const of = (n: number): Origin =>
      n % 100 === 0 ? { tags: ['rare=1'], model: 'a' } : { model: 'a' };
    await documents.take(Array.from({ length: MANY }, (_, n) => charge(n, of(n))));
  });

  it.each([
    ['all', {}, 20],
    ['an index', { model: 'a' }, 40],
    ['a rare value', { tag: 'rare=1' }, 40],
  ])('reads as many documents as it shows, by %s', async (_, filter, most) => {
    documents.read = 0;
    expect((await ask(filter)).requests).toHaveLength(20);
    expect(documents.read).toBeLessThanOrEqual(most);
  });

  it('reads nothing where one of several indexes is empty', async () => {
    documents.read = 0;
    const page = await ask({ model: 'a', status: 'released' });
    expect(page).toMatchObject({ requests: [], nextAfter: null });
    expect(documents.read).toBe(0);
  });

  it('looks at a stated number of requests at most, and continues from there', async () => {
    documents.read = 0;
    const page = await ask({ rig: 'rack', model: 'other' });
    expect(page.requests).toEqual([]);
    expect(page.nextAfter).not.toBeNull();
    expect(documents.read).toBe(LOOKED_AT_MAX);
  });
});
