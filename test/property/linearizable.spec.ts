import { describe, expect, it } from '@jest/globals';
import { isLinearizable, type Operation, type SequentialModel } from './linearizable.js';

/** A register that is written and read. */
type Access = { readonly write: number } | 'read';

const register: SequentialModel<number, Access, number> = {
  initial: 0,
  apply: (value, access, seen) => {
    if (access !== 'read') return access.write;
    return seen === value ? value : null;
  },
  keyOf: String,
};

const during = (
  [calledAt, answeredAt]: readonly [number, number],
  input: Access,
  output = 0,
): Operation<Access, number> => ({ input, output, calledAt, answeredAt });

describe('a history of a register', () => {
  it('is linearizable when each read sees a write that is over or under way', () => {
    const write = during([0, 10], { write: 1 });
    expect(isLinearizable(register, [write, during([1, 2], 'read', 0)])).toBe(true);
    expect(isLinearizable(register, [write, during([1, 2], 'read', 1)])).toBe(true);
    expect(isLinearizable(register, [write, during([11, 12], 'read', 1)])).toBe(true);
  });

  it('is not when a read misses a write that is over, or goes back behind another read', () => {
    const write = during([0, 10], { write: 1 });
    expect(isLinearizable(register, [write, during([11, 12], 'read', 0)])).toBe(false);
    const reads = [during([1, 2], 'read', 1), during([3, 4], 'read', 0)];
    expect(isLinearizable(register, [write, ...reads])).toBe(false);
  });

  it('is judged by the order of real time between operations that do not overlap', () => {
    const accepted = [
      during([0, 3], { write: 0 }),
      during([1, 6], { write: 1 }),
      during([4, 5], 'read', 1),
      during([7, 8], 'read', 1),
    ];
    expect(isLinearizable(register, accepted)).toBe(true);
    const rejected = [
      during([0, 1], { write: 1 }),
      during([2, 7], { write: 2 }),
      during([3, 4], 'read', 2),
      during([5, 6], 'read', 1),
    ];
    expect(isLinearizable(register, rejected)).toBe(false);
  });
});
