import { expect, it } from '@jest/globals';
import { estimateErrorPct } from './estimate-error.js';

it.each([
  [110, 100, 10],
  [90, 100, -10],
  [100, 100, 0],
  [1_000, 3, 33_233.3],
  [100, 0, null],
])('the error of an estimate of %d where %d was measured is %d percent', (one, other, error) => {
  expect(estimateErrorPct(one, other)).toBe(error);
});
