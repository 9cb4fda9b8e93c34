import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type PayoutEvent } from '#events/payouts/payout.events.js';
import {
  type PayeeState,
  type PayoutCommand,
  payoutDecider,
} from '#areas/payouts/payout.decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import {
  NO_BALANCE,
  type PayeeBalance,
  payeeBalances,
} from '#projections/payouts/payee-balances.projection.js';

const AT = '2026-11-22T05:00:00.000Z';
const BENEFICIARY = 'partner-1';
const IDS = ['1', '2', '3', '4'].map((end) => `01890a5d-ac96-774b-bcce-b302099a810${end}`);

const payoutId = fc.constantFrom(...IDS);

/** A step: earns or takes back, or sends a command; amounts are in micro-dollars. */
type Step =
  | { readonly kind: 'accrue'; readonly amount: number }
  | {
      readonly kind: 'command';
      readonly of: (accrued: bigint, state: PayeeState) => PayoutCommand;
    };

const ref = (id: string) => ({ beneficiary: BENEFICIARY, payoutId: id });

const requesting = fc
  .tuple(payoutId, fc.integer({ min: 0, max: 2_000 }))
  .map(([id, amount]): Step => ({
    kind: 'command',
    of: (accrued) => ({
      type: 'RequestPayout',
      data: {
        ...ref(id),
        requestedAt: AT,
        amountMicroUsd: String(amount),
        accruedMicroUsd: String(accrued),
      },
    }),
  }));

const approving = fc
  .tuple(payoutId, fc.integer({ min: 0, max: 100 }))
  .map(([id, ratePercent]): Step => ({
    kind: 'command',
    of: (accrued, { payouts }) => {
      const amount = payouts.get(id)?.amount ?? 0n;
      const withholding = {
        country: 'MX',
        incomeType: 'other_income',
        treatyClaimed: false,
        ratePercent,
        withheldMicroUsd: String((amount * BigInt(ratePercent)) / 100n),
        article: 'none',
        source: 'Table 1',
        asOf: '2019-02-28',
      } as const;
      const data = { ...ref(id), accruedMicroUsd: String(accrued), withholding, approvedAt: AT };
      return { type: 'ApprovePayout', data };
    },
  }));

const ending = fc
  .tuple(payoutId, fc.constantFrom('RejectPayout', 'PayPayout'))
  .map(([id, type]): Step => ({
    kind: 'command',
    of: () =>
      type === 'PayPayout'
        ? { type, data: { ...ref(id), reference: 'SEPA', paidAt: AT } }
        : { type: 'RejectPayout', data: { ...ref(id), reason: 'wrong', rejectedAt: AT } },
  }));

const accruing = fc
  .integer({ min: -500, max: 1_500 })
  .map((amount): Step => ({ kind: 'accrue', amount }));

const steps = fc.array(fc.oneof(accruing, requesting, approving, ending), { maxLength: 60 });

interface Outcome {
  readonly events: readonly PayoutEvent[];
  readonly state: PayeeState;
  readonly accrued: bigint;
  /** The largest that it ever was. */
  readonly accruedMax: bigint;
}

const run = (all: readonly Step[]): Outcome => {
  let outcome: Outcome = {
    events: [],
    state: payoutDecider.initialState,
    accrued: 0n,
    accruedMax: 0n,
  };
  for (const step of all) {
    const { state, accrued, events, accruedMax } = outcome;
    if (step.kind === 'accrue') {
      const more = accrued + BigInt(step.amount);
      const next = more > 0n ? more : 0n;
      outcome = { ...outcome, accrued: next, accruedMax: next > accruedMax ? next : accruedMax };
      continue;
    }
    try {
      const decided = payoutDecider.decide(step.of(accrued, state), state);
      const evolved = decided.reduce(payoutDecider.evolve, state);
      outcome = { ...outcome, events: [...events, ...decided], state: evolved };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }
  return outcome;
};

const balanceOf = (events: readonly PayoutEvent[]): PayeeBalance =>
  events.reduce((was, event) => payeeBalances.project(event, was, BENEFICIARY) ?? was, NO_BALANCE);

describe('payouts', () => {
  it('never take more than the earnings', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { state, accruedMax } = run(all);
        expect(state.committed <= accruedMax).toBe(true);
        expect(state.committed >= 0n).toBe(true);
      }),
    );
  });

  it('are the transfers and the tax, to the micro-dollar, and each is paid once', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { events } = run(all);
        const paid = events.filter((event) => event.type === 'PayoutPaid').map(({ data }) => data);
        expect(new Set(paid.map(({ payoutId: id }) => id)).size).toBe(paid.length);
        for (const { amountMicroUsd, netMicroUsd, withheldMicroUsd } of paid) {
          expect(BigInt(netMicroUsd) + BigInt(withheldMicroUsd)).toBe(BigInt(amountMicroUsd));
          expect(BigInt(netMicroUsd) >= 0n).toBe(true);
        }
      }),
    );
  });

  it('have a read model that says what the decider knows', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { events, state } = run(all);
        const { open, paid, withheld } = balanceOf(events);
        expect(BigInt(open) + BigInt(paid)).toBe(state.committed);
        const ofStatus = (status: string) =>
          [...state.payouts.values()].filter((one) => one.status === status);
        expect(ofStatus('paid').reduce((sum, { amount }) => sum + amount, 0n)).toBe(BigInt(paid));
        const taxes = ofStatus('paid').reduce((sum, one) => sum + one.withheld, 0n);
        expect(taxes).toBe(BigInt(withheld));
      }),
    );
  });
});
