import { expect, it } from '@jest/globals';
import { namedFacts } from './facts-of.js';

it('names each fact by the path to it', () => {
  const lines = [{ meter: 'input_tokens', quantity: 9 }];
  expect(namedFacts({ asked_micro_usd: '27', window: { ends_at: null }, lines })).toEqual([
    ['asked_micro_usd', '27'],
    ['window.ends_at', 'null'],
    ['lines.0.meter', 'input_tokens'],
    ['lines.0.quantity', '9'],
  ]);
});
