import { describe, expect, it } from '@jest/globals';
import { snakeCaseKeys } from './snake-case-keys.js';

describe('keys in snake case', () => {
  it('are made of camel case at every depth, and others are left', () => {
    const json = { etaSeconds: 3, steps: [{ tokensPerSecond: null }], 'acme/Model-X': { ID: 1 } };
    expect(snakeCaseKeys(json)).toEqual({
      ...{ eta_seconds: 3, steps: [{ tokens_per_second: null }] },
      'acme/Model-X': { ID: 1 },
    });
  });
});
