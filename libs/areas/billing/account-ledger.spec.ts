import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Capture, type HoldOrder, type Renewal } from '#platform/ledger/hold.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ProductMismatchError } from '#platform/ledger/product.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import {
  ACCOUNT,
  capture,
  deposit,
  ENDED_AT,
  EXPIRES_AT,
  HOLD,
  linesOf,
  open,
  OTHER_HOLD,
  place,
  PLACED_AT,
  renew,
  RENEWED_UNTIL,
  type Tokens,
} from './account.fixture.js';
import { accountStream } from './accounts.js';
import { type Billing, openBilling } from './billing-world.fixture.js';
import { KEY, setBudget } from './budgets/budget.fixture.js';
import { CLOCK_SKEW_MS_MAX } from './hold-end.js';

const WORST = [1_000, 1_000] as const;

const orderOf = (tokens: Tokens, holdId = HOLD): HoldOrder => {
  const { group: _, ...order } = place(tokens, { holdId }).data;
  return order;
};
const renewalOf = (tokens: Tokens): Renewal => renew(tokens).data;
const captureOf = (tokens: Tokens): Capture => ({
  ...capture(tokens).data,
  model: 'acme/m',
});
const context = () => contextOf(randomUUID(), 'spec');

describe('the ledger of accounts', () => {
  let billing: Billing;

  beforeEach(async () => {
    billing = await openBilling();
    await billing.run(open);
    await billing.run(deposit(1_000));
  });

  afterEach(() => billing.close());

  const typesOfHolds = async (): Promise<readonly string[]> => {
    const types: string[] = [];
    for await (const page of billing.eventStore.read(accountStream(ACCOUNT))) {
      types.push(...page.map(({ type }) => type));
    }
    return types.slice(2);
  };

  describe('400 requests at once', () => {
    const labels = { key: KEY, endUser: '7f'.repeat(32), tags: ['project=alpha'] };
    const windows = ['dayMicroUsd', 'weekMicroUsd', 'monthMicroUsd', 'totalMicroUsd'] as const;
    const subjects = [
      {},
      { key: labels.key },
      { endUser: labels.endUser },
      { tag: 'project=alpha' },
    ] as const;
    const cases = windows.map((window, index) => [window, subjects[index] ?? {}] as const);

    it.each(cases)('pass no budget: %s of %o', async (window, subject) => {
      await billing.run(deposit(1_000_000, 'second'));
      await billing.run(setBudget({ [window]: '30000' }, { ...subject, by: { owner: 'parent' } }));
      const asked = Array.from({ length: 400 }, () => {
        const order = { ...orderOf(WORST, randomUUID()), ...labels };
        return billing.ledger.place(order, context()).then(
          () => 'placed',
          (error: unknown) => (error instanceof DomainError ? String(error.code) : String(error)),
        );
      });
      const outcomes = await Promise.all(asked);
      expect(outcomes.filter((one) => one === 'placed')).toHaveLength(40);
      expect(outcomes.filter((one) => one === 'budget_exceeded')).toHaveLength(360);
    });
  });

  describe('a preview', () => {
    it('is what would be held, and writes nothing', async () => {
      const previewed = await billing.ledger.preview(orderOf(WORST));
      expect(await typesOfHolds()).toEqual([]);
      const placed = await billing.ledger.place(orderOf(WORST), context());
      const { lines, amountMicroUsd } = placed;
      expect(previewed).toMatchObject({ lines, amountMicroUsd, availableMicroUsd: 1_000n });
    });

    it('cuts the line that may be cut, as the hold does', async () => {
      const shrink = { meter: 'output_tokens', atLeast: 1 };
      const order = { ...orderOf([1_000, 9_000]), shrink };
      const { lines } = await billing.ledger.preview(order);
      expect(lines).toEqual((await billing.ledger.place(order, context())).lines);
    });

    it('rejects what the hold would be rejected for', async () => {
      await expect(billing.ledger.preview(orderOf([1_000, 9_000]))).rejects.toMatchObject({
        code: 'insufficient_balance',
      });
      expect(await typesOfHolds()).toEqual([]);
    });
  });

  describe('demanding funds', () => {
    const REST = [1_000, 166] as const;
    const demand = async (accountId = ACCOUNT): Promise<void> =>
      billing.ledger.demandFunds(accountId);

    it('accepts an account with money that is not held', async () => {
      await billing.ledger.place(orderOf(WORST), context());
      await expect(demand()).resolves.toBeUndefined();
    });

    it('rejects one whose money is held, until it has more', async () => {
      await billing.ledger.place(orderOf(WORST), context());
      await billing.ledger.place(orderOf(REST, OTHER_HOLD), context());
      await expect(demand()).rejects.toMatchObject({
        code: 'insufficient_balance',
        metadata: { reason: 'in_flight' },
      });
      await billing.run(deposit(1, 'second'));
      await expect(demand()).resolves.toBeUndefined();
    });

    it('rejects one whose money is spent', async () => {
      await billing.ledger.place(orderOf([1_000, 1_416]), context());
      await billing.ledger.capture(captureOf([1_000, 1_416]), context());
      await expect(demand()).rejects.toMatchObject({
        code: 'insufficient_balance',
        metadata: { reason: 'insufficient_balance' },
      });
    });

    it('reads the log only for an account without known money', async () => {
      const { eventStore } = billing;
      const read = eventStore.read.bind(eventStore);
      let reads = 0;
      const counted = (...args: Parameters<typeof read>) => {
        reads += 1;
        return read(...args);
      };
      Object.assign(eventStore, { read: counted });
      expect(billing.ledger.demandFunds(ACCOUNT)).toBeUndefined();
      expect(reads).toBe(0);
      await billing.ledger.place(orderOf([1_000, 1_416]), context());
      await expect(demand()).rejects.toThrow();
      expect(reads).toBeGreaterThan(0);
    });

    it('leaves an account that does not exist to the hold', async () => {
      await expect(demand('none')).resolves.toBeUndefined();
    });
  });

  it('says what is held', async () => {
    expect(await billing.ledger.place(orderOf(WORST), context())).toEqual({
      lines: linesOf(WORST),
      amountMicroUsd: 750n,
      expiresAt: EXPIRES_AT,
      availableMicroUsd: 250n,
    });
  });

  it('says to what a line was cut, again when the order is repeated', async () => {
    const order = {
      ...orderOf([1_000, 2_000]),
      shrink: { meter: 'output_tokens', atLeast: 1 },
    };
    const held = await billing.ledger.place(order, context());
    expect(held).toMatchObject({ lines: linesOf([1_000, 1_416]), availableMicroUsd: 0n });
    expect(await billing.ledger.place(order, context())).toEqual(held);
    expect(await typesOfHolds()).toEqual(['HoldPlaced']);
  });

  it('records the group of the product', async () => {
    await billing.ledger.place(orderOf(WORST), context());
    await billing.ledger.capture(captureOf(WORST), context());
    for await (const page of billing.eventStore.read(accountStream(ACCOUNT), { from: 2n })) {
      expect(page).toMatchObject([
        { type: 'HoldPlaced', data: { group: 'inference' } },
        { type: 'HoldCaptured', data: { group: 'inference', evidence: { pages: 3 } } },
      ]);
    }
  });

  it('rejects a hold that another order has', async () => {
    await billing.ledger.place(orderOf(WORST), context());
    await expect(billing.ledger.place(orderOf([1, 1]), context())).rejects.toMatchObject({
      code: 'hold_conflict',
    });
  });

  it('renews a hold, and says what is held then', async () => {
    await billing.ledger.place(orderOf(WORST), context());
    const longer = {
      lines: [...linesOf(WORST), ...linesOf([0, 100])],
      amountMicroUsd: 810n,
      expiresAt: RENEWED_UNTIL,
      availableMicroUsd: 190n,
    };
    expect(await billing.ledger.renew(renewalOf([0, 100]), context())).toEqual(longer);
    expect(await billing.ledger.renew(renewalOf([0, 100]), context())).toEqual(longer);
    expect(await typesOfHolds()).toEqual(['HoldPlaced', 'HoldRenewed']);
  });

  it('charges under the id of the event', async () => {
    await billing.ledger.place(orderOf(WORST), context());
    const entry = await billing.ledger.capture(captureOf([900, 100]), context());
    expect(entry).toEqual({
      eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      chargedMicroUsd: 195n,
      availableMicroUsd: 805n,
    });
  });

  it('frees a hold', async () => {
    await billing.ledger.place(orderOf(WORST), context());
    const release = { accountId: ACCOUNT, holdId: HOLD, releasedAt: ENDED_AT } as const;
    await billing.ledger.release({ ...release, reason: 'timed_out' }, context());
    expect(await typesOfHolds()).toEqual(['HoldPlaced', 'HoldReleased']);
  });

  describe('takes no hold and no charge that does not fit a registered product', () => {
    const line = { ...linesOf([1, 0])[0], meter: 'loom_seconds' } as Capture['lines'][number];

    it.each<[string, Partial<HoldOrder>]>([
      ['a purpose that no area declares', { purpose: 'juggling' }],
      ['a meter of another product', { lines: [line] }],
      ['evidence of another product', { evidence: { modelAsked: 'x' } }],
      ['no evidence', { evidence: {} }],
    ])('a hold with %s', async (_, wrong) => {
      const placing = billing.ledger.place({ ...orderOf(WORST), ...wrong }, context());
      await expect(placing).rejects.toBeInstanceOf(ProductMismatchError);
      expect(await typesOfHolds()).toEqual([]);
    });

    it.each<[string, Partial<Capture>]>([
      ['a purpose that no area declares', { purpose: 'juggling' }],
      ['a meter of another product', { lines: [line] }],
      ['an excess of another product', { excess: [{ meter: 'loom_seconds', quantity: 1 }] }],
      ['evidence of the hold', { evidence: { language: 'quechua' } }],
    ])('a charge with %s', async (_, wrong) => {
      await billing.ledger.place(orderOf(WORST), context());
      const capturing = billing.ledger.capture({ ...captureOf(WORST), ...wrong }, context());
      await expect(capturing).rejects.toBeInstanceOf(ProductMismatchError);
      expect(await typesOfHolds()).toEqual(['HoldPlaced']);
    });

    it('a renewal with a meter of another product', async () => {
      await billing.ledger.place(orderOf(WORST), context());
      const renewing = billing.ledger.renew({ ...renewalOf(WORST), lines: [line] }, context());
      await expect(renewing).rejects.toBeInstanceOf(ProductMismatchError);
    });
  });

  describe('settling a hold that its request has left', () => {
    const settle = (notBefore = PLACED_AT, holdId = HOLD, accountId = ACCOUNT): Promise<string> =>
      billing.ledger.settle(
        { accountId, holdId, reason: 'internal_error', releasedAt: ENDED_AT, notBefore },
        context(),
      );
    const spend = async (): Promise<void> => {
      await billing.ledger.place(orderOf(WORST), context());
      await billing.ledger.capture(captureOf([1_000, 500]), context());
    };

    it('frees one that is open, so that it is never charged', async () => {
      await billing.ledger.place(orderOf(WORST), context());
      expect(await settle()).toBe('free');
      await expect(billing.ledger.capture(captureOf(WORST), context())).rejects.toMatchObject({
        code: 'hold_not_open',
      });
      expect(await typesOfHolds()).toEqual(['HoldPlaced', 'HoldReleased']);
    });

    it('finds one that was charged, behind the holds of others', async () => {
      await spend();
      await billing.ledger.place(orderOf([1_000, 0], OTHER_HOLD), context());
      expect(await settle()).toBe('charged');
      expect(await settle(PLACED_AT, OTHER_HOLD)).toBe('free');
      expect(await settle()).toBe('charged');
    });

    it('finds one free that was freed before, or never placed', async () => {
      expect(await settle()).toBe('free');
      await billing.ledger.place(orderOf(WORST), context());
      expect(await Promise.all([settle(), settle(), settle()])).toEqual(['free', 'free', 'free']);
      expect(await typesOfHolds()).toEqual(['HoldPlaced', 'HoldReleased']);
    });

    it('frees one that was placed just after it was found closed', async () => {
      const { eventStore } = billing;
      const read = eventStore.read.bind(eventStore);
      let placed = false;
      const latePlacement = async function* (...args: Parameters<typeof read>) {
        const isLookBack = args[1]?.direction === 'backwards';
        if (isLookBack && !placed) {
          placed = true;
          await billing.run(place(WORST));
        }
        yield* read(...args);
      };
      Object.assign(eventStore, { read: latePlacement });
      expect(await settle()).toBe('free');
      expect(await typesOfHolds()).toEqual(['HoldPlaced', 'HoldReleased']);
    });

    it('looks no further back than the hold can be, give or take what clocks differ', async () => {
      await spend();
      const recordedMs = Date.now();
      const later = (ms: number): string => new Date(recordedMs + ms).toISOString();
      expect(await settle(later(CLOCK_SKEW_MS_MAX - 60_000))).toBe('charged');
      expect(await settle(later(CLOCK_SKEW_MS_MAX + 60_000))).toBe('free');
    });

    it('does not guess for an account that is not there', async () => {
      await expect(settle(PLACED_AT, HOLD, 'none')).rejects.toMatchObject({
        code: 'account_not_found',
      });
    });
  });
});
