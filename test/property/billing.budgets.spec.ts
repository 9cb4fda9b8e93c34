import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AccountCommand, accountDecider } from '#areas/billing/account.decider.js';
import { accountSnapshots } from '#areas/billing/account.snapshot.js';
import { type AccountState } from '#areas/billing/account.state.js';
import {
  capture,
  deposit,
  expire,
  open,
  release,
  renew,
  type Tokens,
} from '#areas/billing/account.fixture.js';
import {
  ask,
  KEY,
  OTHER_KEY,
  removeBudget,
  setBudget,
} from '#areas/billing/budgets/budget.fixture.js';
import { type AccountEvent } from '#events/billing/account.events.js';
import { type BudgetSet } from '#events/billing/budget.events.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { DomainError } from '#platform/kernel/domain-error.js';

const { decide, evolve, initialState } = accountDecider;

type Minutes = number;
type Timed = (at: string) => AccountCommand;

const holdId = fc.constantFrom(
  ...['a', 'b', 'c', 'd'].map((x) => `01890a5d-ac96-774b-bcce-${x.repeat(12)}`),
);
const key = fc.constantFrom(undefined, KEY, OTHER_KEY);
const tokens = fc.tuple(fc.nat(2_000), fc.nat(2_000));
const limit = fc.option(fc.nat(3_000), { freq: 3 });
const rate = fc.option(fc.integer({ min: 1, max: 4_000 }), { freq: 2 });
const FAR = '2027-06-01T00:00:00.000Z';

const money = limit.map((amount) => amount?.toString() ?? null);
const budget = fc
  .record({
    dayMicroUsd: money,
    monthMicroUsd: money,
    requestsPerMinute: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 2 }),
    tokensPerMinute: rate,
  })
  .chain((limits) => key.map((of) => ({ limits, of })));

const command: fc.Arbitrary<Timed> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .tuple(tokens, holdId, key, fc.option(fc.integer({ min: 1, max: 16 })), fc.boolean())
      .map(([wanted, id, by, outputAtLeast, paced]): Timed => (at) => {
        const keyed = by === undefined ? {} : { key: by };
        return ask(wanted, { holdId: id, outputAtLeast, at, expiresAt: FAR, paced, ...keyed });
      }),
  },
  {
    weight: 7,
    arbitrary: fc.tuple(tokens, holdId).map(([charge, id]): Timed => (at) => {
      const { type, data } = capture(charge, id);
      return { type, data: { ...data, capturedAt: at } };
    }),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(tokens, holdId).map(([more, id]): Timed => (at) => {
      const { type, data } = renew(more, { holdId: id });
      const expiresAt = FAR.replace('00:00:00', at.slice('YYYY-MM-DDT'.length, -'.000Z'.length));
      return { type, data: { ...data, renewedAt: at, expiresAt } };
    }),
  },
  {
    weight: 2,
    arbitrary: holdId.map(
      (id): Timed =>
        () =>
          release(id),
    ),
  },
  {
    weight: 1,
    arbitrary: holdId.map(
      (id): Timed =>
        () =>
          expire(FAR, id),
    ),
  },
  {
    weight: 3,
    arbitrary: budget.map(({ limits, of }): Timed => (at) => {
      const keyed = of === undefined ? {} : { key: of };
      return setBudget(limits, { setAt: at, alertPercents: [50, 100], ...keyed });
    }),
  },
  {
    weight: 1,
    arbitrary: key.map(
      (of): Timed =>
        (at) =>
          removeBudget(of, at),
    ),
  },
);

/** Pauses of seconds, of hours and of weeks, so that minutes, days and months end. */
const pause: fc.Arbitrary<Minutes> = fc.oneof(
  { weight: 12, arbitrary: fc.constant(0) },
  { weight: 6, arbitrary: fc.constant(0.4) },
  { weight: 3, arbitrary: fc.constant(9 * 60) },
  { weight: 1, arbitrary: fc.constant(20 * 24 * 60) },
);

const schedule = fc.array(fc.tuple(command, pause), { minLength: 10, maxLength: 60, size: '+1' });

/**
 * The amount that one hold took from one budget, one entry for its placement and for each renewal.
 */
interface Entry {
  readonly holdId: string;
  readonly budget: string;
  readonly at: string;
  amount: bigint;
  tokens: number | null;
}

const day = (at: string): string => at.slice(0, 10);
const month = (at: string): string => at.slice(0, 7);
const minute = (at: string): string => at.slice(0, 16);

const tokensIn = (lines: readonly PriceLine[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0);

/**
 * Budgets by definition: the list of everything that was taken, summed when asked. It shares no
 * code with billing.
 */
class Model {
  readonly budgets = new Map<string, BudgetSet['data']['limits']>();
  entries: Entry[] = [];
  readonly #keys = new Map<string, string | undefined>();
  readonly #open = new Map<string, bigint>();

  take({ type, data }: AccountEvent): void {
    switch (type) {
      case 'BudgetSet':
        this.budgets.set(data.key ?? '', data.limits);
        return;
      case 'BudgetRemoved':
        this.budgets.delete(data.key ?? '');
        this.entries = this.entries.filter(({ budget }) => budget !== (data.key ?? ''));
        return;
      case 'HoldPlaced': {
        this.#keys.set(data.holdId, data.key);
        this.#open.set(data.holdId, BigInt(data.amountMicroUsd));
        const reserved = data.paced ? tokensIn(data.lines) : null;
        this.#enter(data.holdId, data.placedAt, BigInt(data.amountMicroUsd), reserved);
        return;
      }
      case 'HoldRenewed': {
        const amount = BigInt(data.amountMicroUsd);
        this.#open.set(data.holdId, (this.#open.get(data.holdId) ?? 0n) + amount);
        this.#enter(data.holdId, data.renewedAt, amount, null);
        return;
      }
      case 'HoldCaptured':
        this.#end(data.holdId, BigInt(data.amountMicroUsd), tokensIn(data.lines));
        return;
      case 'HoldReleased':
      case 'HoldExpired':
        this.#end(data.holdId, 0n, 0);
        return;
      case 'AccountOpened':
      case 'FundsDeposited':
      case 'DepositReversed':
      case 'ChargeAdjusted':
      case 'StatementClosed':
      case 'BudgetThresholdReached':
      case 'SubAccountAdded':
      case 'AllotmentSent':
      case 'AllotmentReceived':
      case 'AccountClosed':
      case 'SubAccountClosed':
    }
  }

  #enter(id: string, at: string, amount: bigint, reserved: number | null): void {
    for (const name of this.asked(this.#keys.get(id))) {
      this.entries.push({ holdId: id, budget: name, at, amount, tokens: reserved });
    }
  }

  /** A release frees the latest amounts. */
  #end(id: string, charged: bigint, used: number): void {
    for (const name of this.budgets.keys()) {
      let freed = (this.#open.get(id) ?? 0n) - charged;
      const own = this.entries.filter((one) => one.holdId === id && one.budget === name);
      for (const entry of own.toReversed()) {
        const back = entry.amount < freed ? entry.amount : freed;
        entry.amount -= back;
        freed -= back;
        if (entry.tokens !== null) entry.tokens = Math.min(entry.tokens, used);
      }
    }
    // The same id may be held again.
    this.entries = this.entries.map((one) => (one.holdId === id ? { ...one, holdId: '' } : one));
    this.#open.delete(id);
  }

  asked(by: string | undefined): readonly string[] {
    return (by === undefined ? [''] : ['', by]).filter((name) => this.budgets.has(name));
  }

  used(name: string, isIn: (at: string) => boolean): bigint {
    return this.entries
      .filter(({ budget: of, at }) => of === name && isIn(at))
      .reduce((sum, { amount }) => sum + amount, 0n);
  }

  pace(name: string, at: string): { readonly requests: number; readonly tokens: number } {
    const now = this.entries.filter(
      (one) => one.budget === name && one.tokens !== null && minute(one.at) === minute(at),
    );
    return {
      requests: now.length,
      tokens: now.reduce((sum, { tokens: reserved }) => sum + (reserved ?? 0), 0),
    };
  }

  /** Whether money of this amount fits into every budget at the instant. */
  fits(by: string | undefined, at: string, amount: bigint): boolean {
    return this.asked(by).every((name) => {
      const { dayMicroUsd, monthMicroUsd } = this.budgets.get(name) ?? {};
      const inDay = this.used(name, (one) => day(one) === day(at)) + amount;
      const inMonth = this.used(name, (one) => month(one) === month(at)) + amount;
      return (
        (dayMicroUsd == null || inDay <= BigInt(dayMicroUsd)) &&
        (monthMicroUsd == null || inMonth <= BigInt(monthMicroUsd))
      );
    });
  }

  fitsPace(by: string | undefined, at: string, asked: number): boolean {
    return this.asked(by).every((name) => {
      const { requestsPerMinute, tokensPerMinute } = this.budgets.get(name) ?? {};
      const now = this.pace(name, at);
      return (
        (requestsPerMinute == null || now.requests < requestsPerMinute) &&
        (tokensPerMinute == null || now.tokens + asked <= tokensPerMinute)
      );
    });
  }
}

const priceOf = ([input, output]: Tokens): bigint =>
  (BigInt(input) * 150_000n + BigInt(output) * 600_000n + 999_999n) / 1_000_000n;

const START_MS = Date.parse('2026-11-29T22:00:00.000Z');

/** Runs the schedule and calls back with the model as it was before each command. */
const run = (
  steps: readonly (readonly [Timed, Minutes])[],
  check: (command: AccountCommand, before: Model, outcome: string, state: AccountState) => void,
): { readonly model: Model; readonly state: AccountState; readonly at: string } => {
  const model = new Model();
  let state = [open, deposit(100_000_000)].reduce(
    (known, one) => decide(one, known).reduce(evolve, known),
    initialState,
  );
  let nowMs = START_MS;
  for (const [timed, minutes] of steps) {
    nowMs += minutes * 60_000;
    const one = timed(new Date(nowMs).toISOString());
    try {
      const events = decide(one, state);
      check(one, model, events[0]?.type ?? '', state);
      for (const event of events) model.take(event);
      state = events.reduce(evolve, state);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      check(one, model, String(error.code), state);
    }
  }
  return { model, state, at: new Date(nowMs).toISOString() };
};

describe('after any schedule of commands', () => {
  it('a hold without a cut is admitted exactly when it fits into every budget', () => {
    const seen: Record<string, number> = {};
    fc.assert(
      fc.property(schedule, (steps) => {
        run(steps, ({ type, data }, model, outcome, state) => {
          if (type !== 'PlaceHold' || data.shrink || state.holds.has(data.holdId)) return;
          const [input, output] = data.lines.map(({ quantity }) => quantity);
          const asked = [input ?? 0, output ?? 0] as const;
          const { key: by, placedAt } = data;
          const fits = model.fits(by, placedAt, priceOf(asked));
          const isPaced = model.fitsPace(by, placedAt, asked[0] + asked[1]);
          const rejection = fits ? 'rate_limit_exceeded' : 'budget_exceeded';
          const admitted = fits && (isPaced || !data.paced);
          expect(outcome).toBe(admitted ? 'HoldPlaced' : rejection);
          seen[outcome] = (seen[outcome] ?? 0) + 1;
        });
      }),
      { numRuns: 1_000 },
    );
    // The schedules reach every outcome.
    expect(Object.values(seen).every((times) => times > 10)).toBe(true);
    expect(Object.keys(seen)).toHaveLength(3);
  });

  it('a cut hold and a renewal fit too', () => {
    fc.assert(
      fc.property(schedule, (steps) => {
        const model = new Model();
        run(steps, (command, _, outcome, state) => {
          const { type, data } = command;
          if (outcome === 'HoldPlaced' && type === 'PlaceHold') {
            const [placed] = decide({ type, data }, state);
            if (placed?.type !== 'HoldPlaced') throw new Error('not placed');
            const amount = BigInt(placed.data.amountMicroUsd);
            expect(model.fits(data.key, data.placedAt, amount)).toBe(true);
            model.take(placed);
          } else if (outcome === 'HoldRenewed' && type === 'RenewHold') {
            const [renewed] = decide({ type, data }, state);
            if (renewed?.type !== 'HoldRenewed') throw new Error('not renewed');
            const by = state.holds.get(data.holdId)?.key;
            const amount = BigInt(renewed.data.amountMicroUsd);
            expect(model.fits(by, data.renewedAt, amount)).toBe(true);
            model.take(renewed);
          } else if (outcome !== '' && /^[A-Z]/.test(outcome)) {
            for (const event of decide(command, state)) model.take(event);
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it('the windows of the state are the sums of the takes, and nothing is below zero', () => {
    fc.assert(
      fc.property(schedule, (steps) => {
        const { model, state } = run(steps, () => undefined);
        expect([...state.budgets.keys()].sort()).toEqual([...model.budgets.keys()].sort());
        for (const [name, { day: ofDay, month: ofMonth, minute: pace }] of state.budgets) {
          expect(ofDay.used).toBe(model.used(name, (at) => day(at) === ofDay.period));
          expect(ofMonth.used).toBe(model.used(name, (at) => month(at) === ofMonth.period));
          expect(pace).toMatchObject(model.pace(name, `${pace.period}:00.000Z`));
          for (const { used, held } of [ofDay, ofMonth])
            expect(held >= 0n && used >= held).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('a snapshot gives the same state', () => {
    fc.assert(
      fc.property(schedule, fc.nat(60), (steps, taken) => {
        const { state } = run(steps.slice(0, taken), () => undefined);
        const json = JSON.parse(JSON.stringify(accountSnapshots.toJson(state))) as object;
        const restored = accountSnapshots.fromJson(json);
        expect(accountSnapshots.toJson(restored)).toEqual(accountSnapshots.toJson(state));
      }),
      { numRuns: 100 },
    );
  });
});
