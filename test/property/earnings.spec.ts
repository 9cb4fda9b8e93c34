import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { RigShareEnded } from '#events/investors/investor.events.js';
import { PartnerMemberLeft, RevenueShareChanged } from '#events/partners/partner.events.js';
import { PartnerId } from '#events/partners/partner.vocabulary.js';
import { type EarningsAccrued } from '#events/payouts/earning.events.js';
import { UserId } from '#events/vocabulary.js';
import { AccrualDraft, type Accrued } from '#areas/payouts/accrual-draft.js';
import { NO_FRACTIONS } from '#areas/payouts/fractions.js';
import { accrualDecider, type AccrualState } from '#areas/payouts/accrual.decider.js';
import { EarningTerms, type TermEvent } from '#areas/payouts/earning-terms.js';
import { allocated, AT, chargeOf, joined, registered } from '#areas/payouts/earnings.fixture.js';
import { amountsByRig } from '#platform/ledger/rig-lines.js';
import { priceOf } from '#platform/ledger/price.js';

type Fact = TermEvent | ReturnType<typeof chargeOf>;

const RIGS = ['press', 'mill', 'loom'] as const;
const ACCOUNTS = ['3', '4', '5'] as const;

const basisPoints = fc.integer({ min: 0, max: 10_000 });
const rig = fc.constantFrom(...RIGS);
const accountId = fc.constantFrom(...ACCOUNTS);
const partnerId = fc.integer({ min: 1, max: 2 }).map((id) => PartnerId.parse(id));

const line: fc.Arbitrary<ChargedLine> = fc.record({
  meter: fc.constant('rows'),
  quantity: fc.integer({ min: 0, max: 5_000 }),
  unitPriceMicroUsd: fc.integer({ min: 0, max: 2_000_000 }).map(String),
  perUnits: fc.constantFrom(1, 3, 1_000, 1_000_000),
  rig,
});

const charge: fc.Arbitrary<Fact> = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.option(rig), accountId)
  .map(([lines, only, account]) => {
    const plain = lines.map(({ rig: _, ...rest }) => rest);
    const work = only === null ? { rig: null, lines } : { rig: only, lines: plain };
    return chargeOf(priceOf(lines), work, account);
  });

/** Two investors have at most a half each, so a rig is never shared out twice. */
const term: fc.Arbitrary<Fact> = fc.oneof(
  fc.tuple(basisPoints, partnerId).map(([share, id]) => registered(share, id)),
  fc.tuple(accountId, partnerId).map(([account, id]) => joined(account, id)),
  accountId.map((account) =>
    PartnerMemberLeft.of({
      userId: UserId.parse(Number(account)),
      accountId: account,
      partnerId: PartnerId.parse(1),
      capacity: 'sub_user',
      leftAt: AT,
    }),
  ),
  fc.tuple(basisPoints, partnerId).map(([share, id]) =>
    RevenueShareChanged.of({
      partnerId: id,
      revenueShareBasisPoints: share,
      revenueShareMaxBasisPoints: 10_000,
      changedAt: AT,
    }),
  ),
);

const nodes = fc
  .tuple(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 5_000 }), basisPoints)
  .map(([one, other, fee]) =>
    RIGS.flatMap((name) => [
      allocated(name, one, fee, UserId.parse(8)),
      allocated(name, other, fee, UserId.parse(9)),
    ]),
  );

const log = fc
  .tuple(nodes, fc.array(fc.oneof({ weight: 3, arbitrary: charge }, term), { maxLength: 60 }))
  .map(([first, rest]): readonly Fact[] => [...first, ...rest]);

/** Divides the log in accruals that end where `endsAt` says, as the service does. */
const divide = (facts: readonly Fact[], endsAt: (index: number) => boolean): AccrualState => {
  const terms = new EarningTerms();
  let state = accrualDecider.initialState;
  let after = 0;
  const carriedIn = (from: AccrualState) => (beneficiary: string) =>
    from.earned.get(beneficiary) ?? NO_FRACTIONS;
  let draft = new AccrualDraft(carriedIn(state));
  facts.forEach((fact, index) => {
    if (fact.type !== 'HoldCaptured') {
      terms.apply(fact);
      return;
    }
    draft.add(fact.data, terms);
    if (index < facts.length - 1 && !endsAt(index)) return;
    const range = { after: String(after), through: String(index + 1), accruedAt: AT };
    const data: EarningsAccrued['data'] = { ...range, ...draft.toAccrued() };
    const events = accrualDecider.decide({ type: 'AccrueEarnings', data }, state);
    state = events.reduce(accrualDecider.evolve, state);
    after = index + 1;
    draft = new AccrualDraft(carriedIn(state));
  });
  return state;
};

const wholly = (facts: readonly Fact[]): Accrued => {
  const terms = new EarningTerms();
  const draft = new AccrualDraft(() => NO_FRACTIONS);
  for (const fact of facts) {
    if (fact.type === 'HoldCaptured') draft.add(fact.data, terms);
    else terms.apply(fact);
  }
  return draft.toAccrued();
};

describe('the shares of charges', () => {
  it('sum to the charges, and none is below zero', () => {
    fc.assert(
      fc.property(log, (facts) => {
        const { earnings, platformMicroUsd, chargedMicroUsd } = wholly(facts);
        const earned = earnings.map(({ earnedMicroUsd }) => BigInt(earnedMicroUsd));
        const sum = earned.reduce((total, one) => total + one, BigInt(platformMicroUsd));
        expect(sum).toBe(BigInt(chargedMicroUsd));
        expect(earned.every((one) => one >= 0n)).toBe(true);
        expect(BigInt(platformMicroUsd) >= 0n).toBe(true);
      }),
    );
  });

  it('are the same wherever accruals begin and end', () => {
    fc.assert(
      fc.property(log, fc.array(fc.boolean(), { maxLength: 80 }), (facts, ends) => {
        const whole = divide([...facts, ...lastCharge], () => false);
        const parts = divide([...facts, ...lastCharge], (index) => ends[index] ?? true);
        expect(parts.earned.toJS()).toEqual(whole.earned.toJS());
      }),
    );
  });

  it('are nothing for an investor whose share has ended', () => {
    fc.assert(
      fc.property(log, (facts) => {
        const ended = RIGS.flatMap((name) =>
          [8, 9].map((id) => {
            const {
              allocationId,
              rig: of,
              investorId,
            } = allocated(name, 1, 0, UserId.parse(id)).data;
            return RigShareEnded.of({ allocationId, rig: of, investorId, endedAt: AT });
          }),
        );
        const charges = facts.filter(({ type }) => type === 'HoldCaptured');
        const before = facts.filter(({ type }) => type !== 'HoldCaptured');
        const { earnings } = wholly([...before, ...ended, ...charges]);
        expect(earnings.filter(({ kind }) => kind === 'investor')).toEqual([]);
      }),
    );
  });
});

/** So that every log ends with a charge, which ends the last accrual. */
const lastCharge = [chargeOf(17n, { rig: 'press', lines: [] }, '3')];

describe('what of a charge is for each rig', () => {
  it('sums to the charge', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
        const amount = priceOf(lines);
        const parts = amountsByRig({ rig: null, lines, amountMicroUsd: String(amount) });
        expect(parts.reduce((sum, part) => sum + part.amount, 0n)).toBe(amount);
        for (const { rig: name, amount: part } of parts) {
          const exact = priceOf(lines.filter((one) => one.rig === name));
          expect(exact - part === 0n || exact - part === 1n).toBe(true);
        }
      }),
    );
  });
});
