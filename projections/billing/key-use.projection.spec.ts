import { describe, expect, it } from '@jest/globals';
import { type HoldCaptured, type HoldPlaced } from '#events/billing/account.events.js';
import { keyUse, keyUseKey } from './key-use.projection.js';

const KEY = '2b9ac6a26d6d9ca1';

/** The fields that the projection reads. */
const placed = (placedAt: string, key?: string) =>
  ({ type: 'HoldPlaced', data: { accountId: '7', placedAt, key } }) as unknown as HoldPlaced;
const captured = (amountMicroUsd: string) =>
  ({
    type: 'HoldCaptured',
    data: { accountId: '7', key: KEY, amountMicroUsd },
  }) as unknown as HoldCaptured;

describe('the use of a key', () => {
  it('is the instant of its last hold and the sum of its charges', () => {
    const key = keyUseKey('7', KEY);
    const events = [
      placed('2026-11-21T04:48:01.000Z', KEY),
      placed('2026-11-21T04:48:00.000Z', KEY),
      captured('40'),
      captured('2'),
    ];
    const use = events.reduce(
      (known, event) => keyUse.project(event, known, key) ?? known,
      keyUse.initial(key),
    );
    expect(use).toEqual({ lastUsedAt: '2026-11-21T04:48:01.000Z', charged: '42' });
    expect(events.flatMap((event) => keyUse.keys(event))).toEqual([key, key, key, key]);
  });

  it('has no document for work that no key asked for', () => {
    expect(keyUse.keys(placed('2026-11-21T04:48:00.000Z'))).toEqual([]);
  });
});
