import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytePairTokenizer, trainBytePairs } from './byte-pair.tokenizer.js';

const TEXTS = ['a hold is held, a hold is captured', 'the hold holds what it holds'];
const vocabulary = trainBytePairs(TEXTS, 290, ['<|end|>']);
const tokenizer = bytePairTokenizer(vocabulary);

describe('byte pair tokenizer', () => {
  it('gives back any text it was given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
      }),
    );
  });

  it('joins what the texts repeat', () => {
    expect(tokenizer.encode(' hold')).toHaveLength(1);
    expect(tokenizer.encode('zq')).toHaveLength(2);
  });

  it('cuts a control token spelled by a user as ordinary text', () => {
    expect(tokenizer.encode('<|end|>')).not.toContain(tokenizer.control('<|end|>'));
  });

  it('learns the same vocabulary from the same texts', () => {
    expect(trainBytePairs(TEXTS, 290, ['<|end|>'])).toEqual(vocabulary);
  });
});
