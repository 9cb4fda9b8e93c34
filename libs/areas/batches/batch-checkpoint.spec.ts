import { describe, expect, it } from '@jest/globals';
import { type BatchPart, usageOf, usageOnAllRigs } from './batch-checkpoint.js';

const part: BatchPart = {
  lines: [[1, 2]],
  completed: 2,
  failed: 0,
  output: null,
  errors: null,
  usage: [
    { rig: 'mill', meter: 'input_tokens', quantity: 3 },
    { rig: 'press', meter: 'input_tokens', quantity: 4 },
  ],
};
const parts = [part, { ...part, usage: [{ rig: 'mill', meter: 'input_tokens', quantity: 5 }] }];

describe('the usage of a batch', () => {
  it('is the sum of its parts on each rig', () => {
    expect(usageOf({ parts })).toEqual([
      { rig: 'mill', meter: 'input_tokens', quantity: 8 },
      { rig: 'press', meter: 'input_tokens', quantity: 4 },
    ]);
  });

  it('is the sum over all rigs on its statement', () => {
    expect(usageOnAllRigs({ parts })).toEqual([{ meter: 'input_tokens', quantity: 12 }]);
  });
});
