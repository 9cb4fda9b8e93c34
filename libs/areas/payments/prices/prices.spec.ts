import { describe, expect, it } from '@jest/globals';
import { type PriceSource, priceOf } from './price-source.js';
import { type Price, Prices } from './prices.js';

const NOW = Date.parse('2026-11-22T10:00:00.000Z');
const LIMITS = { ageMsMax: 120_000, spreadBasisPointsMax: 200, timeoutMs: 1_000 };

const saying = (name: string, usd: string, ageMs: number | null = 0): PriceSource => ({
  name,
  quote: () =>
    Promise.resolve({
      priceMicroUsd: priceOf(usd),
      quotedAtMs: ageMs === null ? null : NOW - ageMs,
    }),
});

const failing: PriceSource = { name: 'down', quote: () => Promise.reject(new Error('down')) };

const askedOf = (...sources: readonly PriceSource[]): Promise<Price> =>
  new Prices(sources, LIMITS, { now: () => NOW }, { warn: () => undefined }).priceOf('BTC');

const rejectionOf = (...sources: readonly PriceSource[]): Promise<unknown> =>
  askedOf(...sources).then(
    () => 'a price',
    (error: unknown) => error,
  );

const unavailable = (detail: string) =>
  expect.objectContaining({
    code: 'crypto_price_unavailable',
    detail: expect.stringContaining(detail),
    metadata: { retry_after_seconds: 30 },
  });

describe('the price of a coin', () => {
  it('is the median of the sources, and keeps what each has said', async () => {
    const price = await askedOf(
      saying('a', '65100'),
      saying('b', '64900', 60_000),
      saying('c', '65000.25', null),
    );
    expect(price).toEqual({
      priceMicroUsd: 65_000_250_000n,
      quotes: [
        { source: 'a', priceMicroUsd: '65100000000', quotedAt: '2026-11-22T10:00:00.000Z' },
        { source: 'b', priceMicroUsd: '64900000000', quotedAt: '2026-11-22T09:59:00.000Z' },
        { source: 'c', priceMicroUsd: '65000250000', quotedAt: '2026-11-22T10:00:00.000Z' },
      ],
    });
  });

  it('of two sources is between them, rounded down', async () => {
    const { priceMicroUsd } = await askedOf(saying('a', '1.000001'), saying('b', '1.000002'));
    expect(priceMicroUsd).toBe(1_000_001n);
  });

  it('needs more than half of the sources', async () => {
    const two = [saying('a', '65000'), saying('b', '65000')];
    expect((await askedOf(...two, failing)).priceMicroUsd).toBe(65_000_000_000n);
    expect(await rejectionOf(...two, failing, failing)).toEqual(
      unavailable('2 of 4 price sources'),
    );
    expect(await rejectionOf(failing)).toEqual(unavailable('0 of 1 price sources'));
  });

  it.each([120_001, -60_001])('does not count a quote that is %d ms old', async (ageMs) => {
    expect(await rejectionOf(saying('a', '65000', ageMs))).toEqual(unavailable('0 of 1'));
  });

  it.each([120_000, -60_000])('counts a quote that is %d ms old', async (ageMs) => {
    expect((await askedOf(saying('a', '65000', ageMs))).quotes).toHaveLength(1);
  });

  it('needs sources that agree', async () => {
    expect((await askedOf(saying('a', '99'), saying('b', '101'))).priceMicroUsd).toBe(100_000_000n);
    const apart = [saying('a', '98.9'), saying('b', '101.1')];
    expect(await rejectionOf(...apart)).toEqual(unavailable('differ too much'));
  });
});

describe('a price in dollars', () => {
  it.each([
    ['65000.12', 65_000_120_000n],
    ['0.081234567', 81_234n],
    [0.9998, 999_800n],
    [1e-6, 1n],
    [3_333, 3_333_000_000n],
  ])('%j is %d micro-dollars', (usd, price) => {
    expect(priceOf(usd)).toBe(price);
  });

  it.each(['', '0', '0.0000001', '-1', 'NaN', '1e5', '1,5', null, {}, Number.NaN, -2])(
    'is not %j',
    (usd) => {
      expect(() => priceOf(usd)).toThrow(RangeError);
    },
  );
});
