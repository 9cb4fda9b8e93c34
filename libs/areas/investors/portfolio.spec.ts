import { describe, expect, it } from '@jest/globals';
import { RigShareAllocated } from '#events/investors/investor.events.js';
import { UserId } from '#events/vocabulary.js';
import { type RigShare } from '#projections/investors/rig-shares.projection.js';
import { apyPercentOf, valuationOf } from './portfolio.js';

const NOW = Date.parse('2026-11-22T00:00:00.000Z');

const share = (priceUsd: number, allocatedAt: string, endedAt: string | null = null): RigShare => ({
  allocated: RigShareAllocated.of({
    allocationId: '01890a5d-ac96-774b-bcce-b302099a8101',
    rig: 'press',
    investorId: UserId.parse(9),
    shareBasisPoints: 5_000,
    platformFeeBasisPoints: 2_000,
    gpus: 4,
    purchasePriceMicroUsd: String(priceUsd * 1_000_000),
    purchasedOn: '2026-01-01',
    allocatedAt,
  }).data,
  endedAt,
});

const LONG_AGO = '2026-01-01T00:00:00.000Z';
const usd = (amount: number): bigint => BigInt(amount * 1_000_000);

describe('the valuation of a portfolio', () => {
  it('is what its shares cost', () => {
    expect(valuationOf([share(12_000, LONG_AGO), share(500, LONG_AGO)])).toBe(usd(12_500));
    expect(valuationOf([])).toBe(0n);
  });
});

describe('the yield of a year', () => {
  it('compares the last 30 days with the purchase price', () => {
    expect(apyPercentOf([share(36_500, LONG_AGO)], usd(300), NOW)).toBeCloseTo(10, 10);
  });

  it('counts a share only for the time that it was held', () => {
    const late = share(36_500, '2026-11-07T00:00:00.000Z');
    expect(apyPercentOf([late], usd(150), NOW)).toBeCloseTo(10, 10);
    const ended = share(36_500, LONG_AGO, '2026-11-07T00:00:00.000Z');
    expect(apyPercentOf([late, ended], usd(300), NOW)).toBeCloseTo(10, 10);
  });

  it.each<[string, readonly RigShare[]]>([
    ['no share', []],
    ['a share of less than a day', [share(100, '2026-11-21T00:00:00.001Z')]],
    ['shares that cost nothing', [share(0, LONG_AGO)]],
    ['a share that ended before', [share(100, LONG_AGO, '2026-10-01T00:00:00.000Z')]],
  ])('is not defined for %s', (_, shares) => {
    expect(apyPercentOf(shares, usd(1), NOW)).toBeNull();
  });
});
