import { describe, expect, it } from '@jest/globals';
import { instant } from './clock.js';
import { type Decider } from './decider.js';
import { deciderSpecOf } from './decider.fixture.js';
import { DomainError } from './domain-error.js';

type Lamp = 'on' | 'off';

const lamp: Decider<'switch-on' | 'break', Lamp, 'SwitchedOn'> = {
  initialState: 'off',
  decide: (command, state) => {
    if (command === 'break') throw new TypeError('a defect');
    if (state === 'on') throw new DomainError('already_on', 'it shines');
    return ['SwitchedOn'];
  },
  evolve: () => 'on',
};

describe('the spec of a decider', () => {
  const specified = deciderSpecOf(lamp);

  it('checks facts, a command and its events against the decider', () => {
    specified.given().when('switch-on').then('SwitchedOn');
    specified.given('SwitchedOn').when('switch-on').thenThrows('already_on');
  });

  it('fails where the decider differs, and does not take a defect for a domain error', () => {
    expect(() => specified.given().when('switch-on').thenNothing()).toThrow();
    expect(() => specified.given().when('switch-on').thenThrows('already_on')).toThrow();
    expect(() => specified.given().when('break').thenThrows('already_on')).toThrow('a defect');
  });
});

describe('a domain error', () => {
  it('has its code, and its detail if any, in its message', () => {
    expect(new DomainError('too_late').message).toBe('too_late');
    expect(new DomainError('too_late', 'it closed at noon').message).toBe(
      'too_late: it closed at noon',
    );
  });
});

describe('an instant', () => {
  it('is written in UTC with milliseconds', () => {
    expect(instant({ now: () => 0 })).toBe('1970-01-01T00:00:00.000Z');
  });
});
