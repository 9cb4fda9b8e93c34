import { describe, expect, it } from '@jest/globals';
import { linesFor, llama } from './inference-world.fixture.js';
import { tokenBounds } from './token-bound.js';
import { termsOf, tokensIn } from './token-lines.js';

const question = {
  model: llama.id,
  messages: [{ role: 'user', content: 'Q' }],
  routing_mode: 'auto',
  timesteps: 8,
};

describe('the lines of a hold', () => {
  it('are tokens again', () => {
    expect(tokensIn(linesFor(900, 100))).toEqual({ inputTokens: 900, outputTokens: 100 });
    expect(tokensIn([])).toEqual({ inputTokens: 0, outputTokens: 0 });
  });
});

describe('what a request says of its prices', () => {
  it.each([
    [{ service_tier: 'flex' }, { service: 'flex' }],
    [{ service_tier: 'auto', speed: 'fast' }, { service: 'fast' }],
    [{ inference_geo: 'us' }, { residency: 'us' }],
    [{ service_tier: 'NOT A NAME', inference_geo: 7 }, {}],
    [{ audio: {} }, { hasMedia: true }],
  ])('%j', (fields, terms) => {
    const plain = { isTiered: true, hasMedia: false };
    expect(termsOf([{ ...question, ...fields }])).toEqual({ ...plain, ...terms });
  });

  it('has no context tiers for several prompts', () => {
    expect(termsOf([question, question]).isTiered).toBe(false);
  });
});

describe('the searches of a request', () => {
  it.each([
    [{}, undefined],
    [{ web_search_options: {} }, 10],
    [{ tools: [{ type: 'web_search' }, { type: 'function' }] }, 10],
    [{ tools: [{ type: 'web_search_20250305', max_uses: 3 }] }, 3],
    [{ tools: [{ type: 'web_search', max_uses: 1e9 }] }, 100],
    [{ tools: [{ type: 'web_search', max_uses: -1 }] }, 10],
  ])('of %j are bounded by %s', (fields, searches) => {
    expect(tokenBounds({ ...question, ...fields }, llama).searches).toBe(searches);
  });
});
