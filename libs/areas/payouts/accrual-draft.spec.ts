import { describe, expect, it } from '@jest/globals';
import { RigShareEnded } from '#events/investors/investor.events.js';
import { PartnerMemberLeft, RevenueShareChanged } from '#events/partners/partner.events.js';
import { UserId } from '#events/vocabulary.js';
import { AccrualDraft, type Accrued } from './accrual-draft.js';
import { NO_FRACTIONS } from './fractions.js';
import { EarningTerms, type TermEvent } from './earning-terms.js';
import {
  ACCOUNT,
  allocated,
  ANDES,
  AT,
  charge,
  chargeOf,
  correction,
  HOUR,
  INVESTOR,
  joined,
  registered,
} from './earnings.fixture.js';

type Fact = TermEvent | ReturnType<typeof charge>;

const accruedOf = (...facts: readonly Fact[]): Accrued => {
  const terms = new EarningTerms();
  const draft = new AccrualDraft(() => NO_FRACTIONS);
  for (const fact of facts) {
    if (fact.type === 'HoldCaptured') draft.add(fact.data, terms);
    else terms.apply(fact);
  }
  return draft.toAccrued();
};

const PARTS = 1_000_000_000_000n;

describe('the shares of a charge', () => {
  it('are all of the platform where no one earns', () => {
    expect(accruedOf(charge(351n))).toEqual({
      charges: 1,
      chargedMicroUsd: '351',
      platformMicroUsd: '351',
      earnings: [],
      carried: [],
    });
  });

  it('are the shares of the partner and, of the rest less the fee, of the investor', () => {
    const accrued = accruedOf(
      registered(1_500),
      joined(),
      allocated('press', 5_000, 2_000),
      charge(1_000n),
    );
    expect(accrued).toEqual({
      charges: 1,
      chargedMicroUsd: '1000',
      platformMicroUsd: '510',
      earnings: [
        {
          kind: 'partner',
          partnerId: ANDES,
          accountId: ACCOUNT,
          hour: HOUR,
          charges: 1,
          grossMicroUsd: '1000',
          earnedMicroUsd: '150',
        },
        {
          kind: 'investor',
          investorId: INVESTOR,
          rig: 'press',
          hour: HOUR,
          charges: 1,
          grossMicroUsd: '500',
          earnedMicroUsd: '340',
        },
      ],
      carried: [
        { beneficiary: 'partner-1', gross: '0', earned: '0' },
        { beneficiary: 'investor-9', gross: '0', earned: '0' },
      ],
    });
  });

  it('are rounded down in sum, and carry their fraction', () => {
    const facts = [registered(1_500), joined()];
    const once = accruedOf(...facts, charge(17n));
    expect(once.earnings).toMatchObject([{ earnedMicroUsd: '2' }]);
    expect(once.carried).toEqual([
      { beneficiary: 'partner-1', gross: '0', earned: ((55n * PARTS) / 100n).toString() },
    ]);
    const twenty = Array.from({ length: 20 }, () => charge(17n));
    const often = accruedOf(...facts, ...twenty);
    expect(often.earnings).toMatchObject([{ charges: 20, earnedMicroUsd: '51' }]);
    expect(often.carried).toMatchObject([{ earned: '0' }]);
  });

  it('follow the last terms before the charge in the log', () => {
    const changed = RevenueShareChanged.of({
      partnerId: ANDES,
      revenueShareBasisPoints: 2_000,
      revenueShareMaxBasisPoints: 2_000,
      changedAt: AT,
    });
    const left = PartnerMemberLeft.of({
      userId: UserId.parse(7),
      accountId: ACCOUNT,
      partnerId: ANDES,
      capacity: 'sub_user',
      leftAt: AT,
    });
    const { earnings } = accruedOf(
      charge(1_000n),
      registered(1_000),
      charge(1_000n),
      joined(),
      charge(1_000n),
      changed,
      charge(1_000n),
      left,
      charge(1_000n),
    );
    expect(earnings).toMatchObject([{ charges: 2, grossMicroUsd: '2000', earnedMicroUsd: '300' }]);
  });

  it('end with the share of the investor', () => {
    const share = allocated('press', 10_000, 0);
    const { allocationId, rig, investorId } = share.data;
    const ended = RigShareEnded.of({ allocationId, rig, investorId, endedAt: AT });
    const { earnings } = accruedOf(share, charge(100n), ended, charge(100n));
    expect(earnings).toMatchObject([{ charges: 1, earnedMicroUsd: '100' }]);
  });

  it('go to the investors of each rig that worked, for its part of the charge', () => {
    const line = { meter: 'rows', quantity: 1, unitPriceMicroUsd: '100', perUnits: 1 };
    const lines = [
      { ...line, quantity: 3, rig: 'press' },
      { ...line, rig: 'mill' },
    ];
    const { earnings, platformMicroUsd } = accruedOf(
      allocated('press', 5_000, 0),
      allocated('mill', 10_000, 1_000, UserId.parse(10)),
      chargeOf(400n, { rig: null, lines }),
    );
    expect(earnings).toMatchObject([
      { investorId: 10, rig: 'mill', grossMicroUsd: '100', earnedMicroUsd: '90' },
      { investorId: 9, rig: 'press', grossMicroUsd: '150', earnedMicroUsd: '150' },
    ]);
    expect(platformMicroUsd).toBe('160');
  });

  it('are no partner’s for a manager’s own charges', () => {
    const { data } = joined();
    const manager = {
      type: 'PartnerMemberJoined',
      data: { ...data, capacity: 'manager' },
    } as const;
    expect(accruedOf(registered(1_500), manager, charge(1_000n)).earnings).toEqual([]);
  });
});

describe('a correction', () => {
  const terms = new EarningTerms();
  for (const fact of [registered(1_500), joined(), allocated('press', 5_000, 2_000)]) {
    terms.apply(fact);
  }
  const drafted = (work: (draft: AccrualDraft) => void): Accrued => {
    const draft = new AccrualDraft(() => NO_FRACTIONS);
    work(draft);
    return draft.toAccrued();
  };

  it('takes back what the charge gave, to the part of a micro-dollar', () => {
    const { data } = charge(333n);
    const accrued = drafted((draft) => {
      draft.add(data, terms);
      draft.correct(correction(333n).data, data, terms);
    });
    expect(accrued).toMatchObject({ charges: 1, chargedMicroUsd: '0', platformMicroUsd: '0' });
    for (const earning of accrued.earnings) {
      expect(earning).toMatchObject({ charges: 1, grossMicroUsd: '0', earnedMicroUsd: '0' });
    }
    for (const carry of accrued.carried) expect(carry).toMatchObject({ gross: '0', earned: '0' });
  });

  it('of a month is borne by the partner and the platform', () => {
    const accrued = drafted((draft) => draft.correct(correction(100n).data, null, terms));
    expect(accrued).toMatchObject({
      charges: 0,
      chargedMicroUsd: '-100',
      platformMicroUsd: '-85',
      earnings: [{ kind: 'partner', charges: 0, grossMicroUsd: '-100', earnedMicroUsd: '-15' }],
    });
  });

  it('can charge more', () => {
    const accrued = drafted((draft) => draft.correct(correction(-100n).data, null, terms));
    expect(accrued).toMatchObject({ chargedMicroUsd: '100', platformMicroUsd: '85' });
  });

  it('falls on the rigs of the charge in proportion', () => {
    const line = { meter: 'rows', quantity: 1, unitPriceMicroUsd: '100', perUnits: 1 };
    const lines = [
      { ...line, quantity: 2, rig: 'press' },
      { ...line, rig: 'mill' },
    ];
    const { data } = chargeOf(300n, { rig: null, lines });
    const { earnings } = drafted((draft) => draft.correct(correction(30n).data, data, terms));
    // A half of 20, less the fifteen percent of the partner and a fifth.
    expect(earnings).toMatchObject([
      { kind: 'partner', earnedMicroUsd: '-5' },
      { kind: 'investor', rig: 'press', grossMicroUsd: '-10', earnedMicroUsd: '-7' },
    ]);
  });
});
