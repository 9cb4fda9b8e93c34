import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KEY_BYTES } from './derived-key.js';
import { keyedHasher, SHORT_LENGTH_MAX } from './keyed-hasher.js';

const key = Buffer.from(Array.from({ length: KEY_BYTES }, (_, at) => at * 7));
const hmac = (text: string): string => createHmac('sha256', key).update(text).digest('hex');

describe('the hasher of texts', () => {
  const hash = keyedHasher({ key: () => key });

  it('gives the HMAC of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(hash(text)).toBe(hmac(text));
      }),
    );
  });

  it.each([
    ['none', ''],
    ['half of a character', 'a\uD83D'],
    ['the most that is copied', 'ſ'.repeat(SHORT_LENGTH_MAX)],
    ['the most that is copied, in three bytes a character', '€'.repeat(SHORT_LENGTH_MAX)],
    ['more than is copied', '€'.repeat(SHORT_LENGTH_MAX + 1)],
  ])('gives the HMAC of %s', (_, text) => {
    expect(hash(text)).toBe(hmac(text));
  });

  it('keeps nothing of a longer text for a shorter one', () => {
    hash('a longer text');
    expect(hash('short')).toBe(hmac('short'));
  });
});
