import { describe, expect, it } from '@jest/globals';
import { type Effect, effectsOf } from './causation.js';

const event = (id: string, cause: string): Effect['event'] => ({
  position: '1',
  event_id: id,
  stream: 'account-1',
  revision: '0',
  type: 'HoldPlaced',
  recorded_at: '2026-11-21T04:48:00.000Z',
  causation_id: cause,
  request_id: 'request',
  actor: 'user:1',
});

const shape = (effects: readonly Effect[]): readonly unknown[] =>
  effects.map((one) => [one.event.event_id, ...shape(one.effects)]);

describe('the causation of events', () => {
  it('has each event below its cause, and others at the top', () => {
    const events = [event('a', 'request'), event('b', 'a'), event('c', 'b'), event('d', 'a')];
    expect(shape(effectsOf(events))).toEqual([['a', ['b', ['c']], ['d']]]);
    expect(shape(effectsOf([event('x', 'far')]))).toEqual([['x']]);
  });

  it('ends for an event that names itself as its cause', () => {
    expect(shape(effectsOf([event('a', 'a')]))).toEqual([['a']]);
  });
});
