import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AccountCommand, accountDecider } from '#areas/billing/account.decider.js';
import {
  adjust,
  capture,
  closeStatement,
  deposit,
  open,
  place,
} from '#areas/billing/account.fixture.js';
import { type Statement, statementOf } from '#areas/billing/statements/statement.js';
import { type AccountEvent } from '#events/billing/account.events.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type StatementDocument, statements } from '#projections/billing/statements.projection.js';

const MONTHS = ['2026-11', '2026-12', '2027-01'] as const;
const MODELS = ['acme/one', 'acme/two', undefined] as const;

/** Charges of few models, jobs and days in three months, in any order. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.nat(3_000).map((amount) => ({ deposit: amount })) },
  {
    weight: 8,
    arbitrary: fc.record({
      tokens: fc.tuple(fc.nat(2_000), fc.nat(2_000)),
      day: fc.constantFrom(...MONTHS.flatMap((month) => [`${month}-01`, `${month}-28`])),
      model: fc.constantFrom(...MODELS),
      jobId: fc.constantFrom(undefined, '5b0e9a52-8f0c-4a37-9d3c-2f6f6f0f3f61'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.integer({ min: -500, max: 500 }).map((amount) => ({ adjust: amount })),
  },
  { weight: 1, arbitrary: fc.constantFrom(...MONTHS).map((close) => ({ close })) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const commandsOf = (one: Step, index: number): readonly AccountCommand[] => {
  const id = String(index).padStart(12, '0');
  if ('deposit' in one) return [deposit(one.deposit, id)];
  if ('adjust' in one) return [adjust(one.adjust, id)];
  if ('close' in one) return [closeStatement(one.close, null, '2027-03-01T00:00:00.000Z')];
  const holdId = `01890a5d-ac96-774b-bcce-${id}`;
  const { type, data } = capture(one.tokens, holdId);
  const named = {
    ...(one.model !== undefined && { model: one.model }),
    ...(one.jobId !== undefined && { jobId: one.jobId }),
  };
  const capturedAt = `${one.day}T12:00:00.000Z`;
  return [place(one.tokens, { holdId }), { type, data: { ...data, ...named, capturedAt } }];
};

/** The events that the decider makes of them; what it rejects changes nothing. */
const eventsOf = (steps: readonly Step[]): readonly AccountEvent[] => {
  const events: AccountEvent[] = [];
  let state = accountDecider.initialState;
  for (const command of [open, ...steps.flatMap(commandsOf)]) {
    try {
      const decided = accountDecider.decide(command, state);
      events.push(...decided);
      state = decided.reduce(accountDecider.evolve, state);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }
  return events;
};

const documentsOf = (events: readonly AccountEvent[]): ReadonlyMap<string, StatementDocument> => {
  const documents = new Map<string, StatementDocument>();
  for (const event of events) {
    if (!Object.hasOwn(statements.on, event.type)) continue;
    for (const key of statements.keys(event as never)) {
      const before = documents.get(key) ?? statements.initial(key);
      const after = statements.project(event as never, before, key);
      if (after) documents.set(key, after);
      else documents.delete(key);
    }
  }
  return documents;
};

const statementsOf = (events: readonly AccountEvent[]): readonly Statement[] => {
  const documents = documentsOf(events);
  const monthOf = (month: string) => {
    const document = documents.get(`month/7/${month}`);
    return document?.kind === 'month' ? [document] : [];
  };
  return MONTHS.map((month, index) =>
    statementOf({
      accountId: '7',
      month,
      isOver: true,
      earlier: MONTHS.slice(0, index).flatMap(monthOf),
      entries: [...documents]
        .filter(([key]) => key.startsWith(`entry/7/${month}/`))
        .map(([, document]) => document),
      closed: monthOf(month)[0]?.closed ?? null,
      position: 0n,
    }),
  );
};

/** The movements of a month, without code of billing: by the data of each event. */
const movementsOf = (events: readonly AccountEvent[], month: string) => {
  const sums = { deposited: 0n, charged: 0n, adjusted: 0n, charges: 0 };
  for (const { type, data } of events) {
    if (type === 'FundsDeposited' && (data.bookedIn ?? data.depositedAt.slice(0, 7)) === month) {
      sums.deposited += BigInt(data.amountMicroUsd);
    }
    if (type === 'HoldCaptured' && (data.bookedIn ?? data.capturedAt.slice(0, 7)) === month) {
      sums.charged += BigInt(data.amountMicroUsd);
      sums.charges += 1;
    }
    if (type === 'ChargeAdjusted' && (data.bookedIn ?? data.adjustedAt.slice(0, 7)) === month) {
      sums.adjusted += BigInt(data.amountMicroUsd);
    }
  }
  return sums;
};

const steps = fc.array(step, { minLength: 1, maxLength: 50 });

describe('the statements of any account', () => {
  it('come to what its events come to, and each opens as the one before it closed', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const events = eventsOf(all);
        let closing = 0n;
        for (const statement of statementsOf(events)) {
          const { deposited, charged, adjusted, charges } = movementsOf(events, statement.month);
          expect(statement.openingMicroUsd).toBe(String(closing));
          closing += deposited - charged + adjusted;
          expect(statement).toMatchObject({
            closingMicroUsd: String(closing),
            totals: {
              depositedMicroUsd: String(deposited),
              chargedMicroUsd: String(charged),
              adjustedMicroUsd: String(adjusted),
              charges,
            },
          });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('have lines that are quantity times price, and sum to the charges', () => {
    fc.assert(
      fc.property(steps, (all) => {
        for (const { lines, totals } of statementsOf(eventsOf(all))) {
          let sum = 0n;
          for (const { quantity, unitPriceMicroUsd, perUnits, amountMicroUsd } of lines) {
            const exact = BigInt(quantity) * BigInt(unitPriceMicroUsd);
            const amount = BigInt(amountMicroUsd);
            expect(amount * BigInt(perUnits) <= exact).toBe(true);
            expect((amount + 1n) * BigInt(perUnits) > exact).toBe(true);
            sum += amount;
          }
          expect(String(sum)).toBe(totals.chargedMicroUsd);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('have a rounding of less than a micro-dollar for each charge and line', () => {
    fc.assert(
      fc.property(steps, (all) => {
        for (const { lines } of statementsOf(eventsOf(all))) {
          for (const { meter, amountMicroUsd, charges, ...group } of lines) {
            if (meter !== 'rounding') continue;
            const others = lines.filter(
              (line) =>
                line.meter !== 'rounding' &&
                line.day === group.day &&
                line.model === group.model &&
                line.job === group.job,
            );
            expect(BigInt(amountMicroUsd) > 0n).toBe(true);
            expect(BigInt(amountMicroUsd) < BigInt(charges + others.length)).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are never changed after their closing', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const events = eventsOf(all);
        events.forEach((event, index) => {
          if (event.type !== 'StatementClosed') return;
          const { month } = event.data;
          const of = (found: readonly Statement[]) => found.find((one) => one.month === month);
          expect(of(statementsOf(events))).toEqual(of(statementsOf(events.slice(0, index + 1))));
        });
      }),
      { numRuns: 150 },
    );
  });
});
