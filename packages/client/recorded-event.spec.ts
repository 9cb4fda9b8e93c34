import { describe, expect, it } from '@jest/globals';
import { encodeEvent } from './encoded-event.fixture.js';
import { decodeEvent } from './recorded-event.js';

const ENCODED = encodeEvent({ type: 'FundsDeposited', data: { amountMicroUsd: '1' } });

describe('the canonical bytes of an event', () => {
  it('are decoded, also from the middle of a buffer', () => {
    const within = Buffer.concat([Buffer.alloc(3), ENCODED]).subarray(3);
    expect(decodeEvent(within)).toEqual({
      revision: 3n,
      recordedAtMs: 1_772_000_000_000n,
      stream: 'account-7',
      type: 'FundsDeposited',
      id: 'an-id',
      data: { amountMicroUsd: '1' },
      metadata: {},
    });
  });

  it('are rejected wherever they are cut', () => {
    for (let bytes = 0; bytes < ENCODED.length; bytes += 1) {
      expect(() => decodeEvent(ENCODED.subarray(0, bytes))).toThrow('the encoding of the event');
    }
  });

  it.each([
    ['another version', Buffer.concat([Buffer.of(2), ENCODED.subarray(1)]), 'another version'],
    ['a text more', Buffer.concat([ENCODED, Buffer.alloc(4)]), 'has not five texts'],
    ['a text that is no UTF-8', Buffer.from(ENCODED).fill(0xff, 21, 22), 'is no UTF-8'],
    ['data that are no object', encodeEvent({ type: 'A', data: [] }), 'is no object'],
  ])('are rejected with %s', (_, encoding, reason) => {
    expect(() => decodeEvent(encoding)).toThrow(reason);
  });
});
