import { describe, expect, it } from '@jest/globals';
import { deadLetterTopicOf, groupIdOf } from './topic-names.js';

describe('the names that a broker sees', () => {
  it('tell which topic and which group', () => {
    expect(groupIdOf('tasks', 'workers')).toBe('workers@tasks');
    expect(deadLetterTopicOf('tasks', 'workers')).toBe('tasks.DEAD.workers');
  });

  it('differ where topics and groups do', () => {
    expect(deadLetterTopicOf('a.b', 'c')).not.toBe(deadLetterTopicOf('a', 'b.c'));
    expect(groupIdOf('a.b', 'c')).not.toBe(groupIdOf('a', 'b.c'));
  });

  it('keep to the length that brokers take, with room for a prefix', () => {
    const one = deadLetterTopicOf('t'.repeat(128), `${'g'.repeat(127)}1`);
    const other = deadLetterTopicOf('t'.repeat(128), `${'g'.repeat(127)}2`);
    expect([one.length, other.length]).toEqual([216, 216]);
    expect(one).not.toBe(other);
    expect(one).toMatch(/^[a-zA-Z0-9._-]+$/);
  });
});
