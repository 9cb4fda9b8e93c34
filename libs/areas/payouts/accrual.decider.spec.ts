import { describe, expect, it } from '@jest/globals';
import { EarningsAccrued } from '#events/payouts/earning.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { accrualDecider } from './accrual.decider.js';
import { accrualSnapshots } from './accrual.snapshot.js';
import { ACCOUNT, ANDES, AT, HOUR } from './earnings.fixture.js';

const accrual: EarningsAccrued['data'] = {
  after: '10',
  through: '20',
  charges: 1,
  chargedMicroUsd: '17',
  platformMicroUsd: '15',
  earnings: [
    {
      kind: 'partner',
      partnerId: ANDES,
      accountId: ACCOUNT,
      hour: HOUR,
      charges: 1,
      grossMicroUsd: '17',
      earnedMicroUsd: '2',
    },
  ],
  carried: [{ beneficiary: 'partner-1', gross: '0', earned: '550000000000' }],
  accruedAt: AT,
};
const accrued = EarningsAccrued.of(accrual);
const accrue = (data: EarningsAccrued['data']) => ({ type: 'AccrueEarnings', data }) as const;

describe('the division of charges', () => {
  const division = deciderSpecOf(accrualDecider);

  it('begins anywhere, and each range behind the one before it', () => {
    division.given().when(accrue(accrual)).then(accrued);
    const next = { ...accrual, after: '20', through: '31' };
    division.given(accrued).when(accrue(next)).then(EarningsAccrued.of(next));
  });

  it.each(['10', '19', '21'])('accepts no charge twice, and leaves none out: after %s', (after) => {
    const next = { ...accrual, after, through: '31' };
    division.given(accrued).when(accrue(next)).thenThrows('accrual_conflict');
  });

  it('creates and loses nothing', () => {
    const wrong = accrue({ ...accrual, platformMicroUsd: '16' });
    expect(() => accrualDecider.decide(wrong, accrualDecider.initialState)).toThrow(
      'the shares of the charges are 18, and the charges 17',
    );
  });

  it('knows what a beneficiary has earned in all, with the fraction', () => {
    const next = EarningsAccrued.of({ ...accrual, after: '20', through: '31', carried: [] });
    const state = [accrued, next].reduce(accrualDecider.evolve, accrualDecider.initialState);
    expect(state.through).toBe('31');
    expect(state.earned.get('partner-1')).toEqual({
      total: 4n,
      gross: 0n,
      earned: 550_000_000_000n,
    });
    const { toJson, fromJson } = accrualSnapshots;
    const stored = JSON.parse(JSON.stringify(toJson(state))) as object;
    expect(fromJson(stored).earned.toJS()).toEqual(state.earned.toJS());
    expect(fromJson(stored).through).toBe('31');
  });
});
