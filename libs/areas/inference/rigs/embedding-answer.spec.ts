import { describe, expect, it } from '@jest/globals';
import { embeddingAnswerIn } from './embedding-answer.js';

const request = {
  body: { model: 'm', input: ['x'.repeat(16), [1, 2, 3]] },
  promptTokensMax: 1_000,
};
const item = (index: number, embedding: unknown) => ({ object: 'embedding', index, embedding });
const pair = [item(0, [1, 0]), item(1, [0, 1])];
/** Two 32-bit floats. */
const BASE64 = 'AACAPwAAAAA=';

describe('the embeddings of an upstream', () => {
  it('are taken in the order of the inputs, with the model and usage that are stated', () => {
    const usage = { prompt_tokens: 9, total_tokens: 9 };
    const answer = { data: pair.toReversed(), model: 'm-1', usage };
    expect(embeddingAnswerIn(answer, request)).toEqual({
      vectors: [
        [1, 0],
        [0, 1],
      ],
      modelAnswered: 'm-1',
      usage: { promptTokens: 9, completionTokens: 0, source: 'provider' },
    });
  });

  it('may be base64, and without a number', () => {
    const data = [{ embedding: BASE64 }, { embedding: BASE64 }];
    expect(embeddingAnswerIn({ data }, request)).toMatchObject({
      vectors: [BASE64, BASE64],
      modelAnswered: null,
    });
  });

  it.each([
    ['none', undefined],
    ['a negative one', { prompt_tokens: -1 }],
    ['a fraction', { prompt_tokens: 1.5 }],
    ['an absurd one', { prompt_tokens: 1e12 }],
    ['a text', { prompt_tokens: '9' }],
  ])('are counted where the usage is %s: 8 bytes a token, and tokens', (_, usage) => {
    expect(embeddingAnswerIn({ data: pair, usage }, request)?.usage).toEqual({
      promptTokens: 5,
      completionTokens: 0,
      source: 'counted',
    });
    const bounded = embeddingAnswerIn({ data: pair, usage }, { ...request, promptTokensMax: 3 });
    expect(bounded?.usage.promptTokens).toBe(3);
  });

  it.each([
    ['no list', {}],
    ['too few', { data: pair.slice(1) }],
    ['too many', { data: [...pair, item(2, [0, 1])] }],
    ['one number twice', { data: [item(0, [1, 0]), item(0, [0, 1])] }],
    ['a number out of range', { data: [item(0, [1, 0]), item(7, [0, 1])] }],
    ['lengths that differ', { data: [item(0, [1, 0]), item(1, [0, 1, 0])] }],
    ['an empty vector', { data: [item(0, []), item(1, [])] }],
    ['a text among numbers', { data: [item(0, [1, 0]), item(1, [0, '1'])] }],
    ['null', { data: [null, null] }],
    ['no base64', { data: [item(0, 'AA-A'), item(1, 'AA-A')] }],
    ['half a float', { data: [item(0, 'AACA'), item(1, 'AACA')] }],
  ])('are malformed: %s', (_, answer) => {
    expect(embeddingAnswerIn(answer, request)).toBeNull();
  });
});
