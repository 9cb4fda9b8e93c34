import { describe, expect, it } from '@jest/globals';
import {
  PayoutApproved,
  PayoutPaid,
  PayoutRejected,
  PayoutRequested,
} from '#events/payouts/payout.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { payoutDecider } from './payout.decider.js';

const AT = '2026-11-22T05:00:00.000Z';
const LATER = '2026-11-23T05:00:00.000Z';
const FIRST = '01890a5d-ac96-774b-bcce-b302099a8101';
const SECOND = '01890a5d-ac96-774b-bcce-b302099a8102';
const beneficiary = 'partner-1';

const facts = (payoutId: string, amount: string) => ({
  beneficiary,
  payoutId,
  requestedAt: AT,
  amountMicroUsd: amount,
});
const withholding = {
  country: 'MX',
  incomeType: 'industrial_royalties',
  treatyClaimed: true,
  ratePercent: 10,
  withheldMicroUsd: '60',
  article: 'Article 12',
  source: 'Table 1',
  asOf: '2019-02-28',
} as const;

const request = (payoutId: string, amount: string, accruedMicroUsd = '1000') =>
  ({ type: 'RequestPayout', data: { ...facts(payoutId, amount), accruedMicroUsd } }) as const;
const requested = (payoutId: string, amount: string) =>
  PayoutRequested.of({ ...facts(payoutId, amount), accruedMicroUsd: '1000' });
const approve = (payoutId: string, accruedMicroUsd = '1000') => {
  const data = { beneficiary, payoutId, accruedMicroUsd, withholding, approvedAt: LATER };
  return { type: 'ApprovePayout', data } as const;
};
const approved = (payoutId: string) =>
  PayoutApproved.of({
    ...facts(payoutId, '600'),
    withholding,
    netMicroUsd: '540',
    approvedAt: LATER,
  });
const rejectPayout = (payoutId: string) => {
  const data = { beneficiary, payoutId, reason: 'wrong bank', rejectedAt: LATER };
  return { type: 'RejectPayout', data } as const;
};
const rejected = (payoutId: string) =>
  PayoutRejected.of({ ...facts(payoutId, '600'), reason: 'wrong bank', rejectedAt: LATER });
const pay = (payoutId: string, reference = 'SEPA-1') => {
  const data = { beneficiary, payoutId, reference, paidAt: LATER };
  return { type: 'PayPayout', data } as const;
};
const paid = (payoutId: string) =>
  PayoutPaid.of({
    ...facts(payoutId, '600'),
    withheldMicroUsd: '60',
    netMicroUsd: '540',
    reference: 'SEPA-1',
    paidAt: LATER,
  });

describe('a payout', () => {
  const payee = deciderSpecOf(payoutDecider);
  const first = requested(FIRST, '600');

  it('is requested up to what is earned, and once', () => {
    payee.given().when(request(FIRST, '600')).then(first);
    payee.given(first).when(request(FIRST, '600')).thenNothing();
    payee.given(first).when(request(SECOND, '400')).then(requested(SECOND, '400'));
    payee.given(first).when(request(SECOND, '401')).thenThrows('payout_above_accrued');
    payee.given().when(request(FIRST, '1001')).thenThrows('payout_above_accrued');
    expect(() =>
      payoutDecider.decide(request(FIRST, '120501000'), payoutDecider.initialState),
    ).toThrow('; 120.50 USD is missing');
    payee.given().when(request(FIRST, '0')).thenThrows('payout_not_positive');
  });

  it('is approved with the tax that is withheld', () => {
    payee.given(first).when(approve(FIRST)).then(approved(FIRST));
    payee.given(first, approved(FIRST)).when(approve(FIRST)).thenNothing();
    payee.given(first).when(approve(SECOND)).thenThrows('payout_not_found');
  });

  it('is not approved when corrections have lowered what is earned', () => {
    payee.given(first).when(approve(FIRST, '599')).thenThrows('payout_above_accrued');
  });

  it('is paid once, when it is approved', () => {
    const ready = [first, approved(FIRST)];
    payee
      .given(...ready)
      .when(pay(FIRST))
      .then(paid(FIRST));
    payee
      .given(...ready, paid(FIRST))
      .when(pay(FIRST))
      .thenNothing();
    payee
      .given(...ready, paid(FIRST))
      .when(pay(FIRST, 'SEPA-2'))
      .thenThrows('payout_already_paid');
    payee.given(first).when(pay(FIRST)).thenThrows('payout_not_approved');
    payee
      .given(...ready, paid(FIRST))
      .when(approve(FIRST))
      .thenThrows('payout_not_requested');
  });

  it('is rejected until it is paid, and its amount is free again', () => {
    payee.given(first).when(rejectPayout(FIRST)).then(rejected(FIRST));
    payee.given(first, approved(FIRST)).when(rejectPayout(FIRST)).then(rejected(FIRST));
    payee.given(first, rejected(FIRST)).when(rejectPayout(FIRST)).thenNothing();
    const all = [first, approved(FIRST), paid(FIRST)];
    payee
      .given(...all)
      .when(rejectPayout(FIRST))
      .thenThrows('payout_already_paid');
    const free = [first, rejected(FIRST)];
    payee
      .given(...free)
      .when(request(SECOND, '1000'))
      .then(requested(SECOND, '1000'));
    payee
      .given(...free)
      .when(pay(FIRST))
      .thenThrows('payout_not_approved');
    payee
      .given(...all)
      .when(request(SECOND, '401'))
      .thenThrows('payout_above_accrued');
  });
});
