import { describe, expect, it } from '@jest/globals';
import { stepOf } from './second-factors.js';

/** RFC 6238, appendix B: SHA-1 and the ASCII secret 12345678901234567890, here with six digits. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const VECTORS = [
  [59, '287082', 0x1],
  [1_111_111_109, '081804', 0x23523ec],
  [1_111_111_111, '050471', 0x23523ed],
  [1_234_567_890, '005924', 0x273ef07],
  [2_000_000_000, '279037', 0x3f940aa],
  [20_000_000_000, '353130', 0x27bc86aa],
] as const;

describe('one-time codes', () => {
  it.each(VECTORS)('at %d s maps %s to step %d', (atSeconds, code, step) => {
    expect(stepOf(SECRET, code, atSeconds * 1_000)).toBe(step);
  });

  it('accepts a code one step early or late, and returns its step', () => {
    const [[atSeconds, code, step]] = VECTORS;
    expect(stepOf(SECRET, code, (atSeconds - 30) * 1_000)).toBe(step);
    expect(stepOf(SECRET, code, (atSeconds + 30) * 1_000)).toBe(step);
    expect(stepOf(SECRET, code, (atSeconds + 60) * 1_000)).toBeNull();
  });

  it.each(['', '28708', '2870820', 'abcdef', '-87082', 'éé7082', '💥💥💥', '２８７０８２'])(
    'finds no step for %j',
    (code) => {
      expect(stepOf(SECRET, code, 59_000)).toBeNull();
    },
  );
});
