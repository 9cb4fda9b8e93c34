import { describe, expect, it } from '@jest/globals';
import { MEMBERS_MAX, slotKeysOf, withMember } from './time-slots.js';

describe('the slots of an instant', () => {
  it.each([
    ['2026-03-01T09:30:00.000Z', '2026-03-01T09:30:00.000Z'],
    ['2026-03-01T09:34:59.999Z', '2026-03-01T09:30:00.000Z'],
    ['2026-03-01T00:04:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T23:59:59.999Z', '2026-03-01T23:55:00.000Z'],
  ])('%s are five minutes from %s, and the day', (at, slot) => {
    expect(slotKeysOf(at)).toEqual([`slot/${slot}`, 'day/2026-03-01T00:00:00.000Z']);
  });
});

describe('the members of a group', () => {
  it('are each there once, and not counted beyond the limit', () => {
    expect(withMember(['a'], 'a')).toEqual(['a']);
    expect(withMember(['a'], 'b')).toEqual(['a', 'b']);
    const many = Array.from({ length: MEMBERS_MAX }, (_, index) => String(index));
    expect(withMember(many, 'one more')).toHaveLength(MEMBERS_MAX);
  });
});
