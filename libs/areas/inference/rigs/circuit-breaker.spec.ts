import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type BreakerEvent,
  type BreakerState,
  closedBreaker,
  evolveBreaker,
  mayPass,
} from './circuit-breaker.js';

const thresholds = { failuresToOpen: 3, openMs: 1_000, openMsMax: 3_000 };

const started: BreakerEvent = { type: 'started' };
const succeeded = (epoch = 0): BreakerEvent => ({ type: 'succeeded', epoch });
const failed = (atMs: number, epoch = 0): BreakerEvent => ({ type: 'failed', epoch, atMs });
const left = (epoch = 0): BreakerEvent => ({ type: 'left', epoch });

const given = (...events: readonly BreakerEvent[]): BreakerState =>
  events.reduce((state, event) => evolveBreaker(state, event, thresholds), closedBreaker);

const threeFailures = [failed(1), failed(2), failed(10)];

describe('a circuit breaker', () => {
  it('is closed and lets pass until there are too many failures in a row', () => {
    const state = given(started, failed(1), started, failed(2));
    expect(state).toEqual({ status: 'closed', epoch: 0, failures: 2 });
    expect(mayPass(state, 3)).toBe(true);
  });

  it('forgets failures at a success', () => {
    expect(given(failed(1), failed(2), succeeded(), failed(3))).toEqual({
      status: 'closed',
      epoch: 0,
      failures: 1,
    });
  });

  it('opens at the last straw, and counts a new epoch', () => {
    const state = given(...threeFailures);
    expect(state).toEqual({ status: 'open', epoch: 1, openMs: 1_000, untilMs: 1_010 });
    expect(mayPass(state, 1_009)).toBe(false);
    expect(mayPass(state, 1_010)).toBe(true);
  });

  it('lets one trial pass when the time is over', () => {
    const state = given(...threeFailures, started);
    expect(state).toEqual({ status: 'half-open', epoch: 1, openMs: 1_000, trialInFlight: true });
    expect(mayPass(state, 5_000)).toBe(false);
  });

  it('closes when the trial succeeds', () => {
    const state = given(...threeFailures, started, succeeded(1));
    expect(state).toEqual({ status: 'closed', epoch: 1, failures: 0 });
  });

  it('opens for twice as long when the trial fails, up to the bound', () => {
    const once = given(...threeFailures, started, failed(2_000, 1));
    expect(once).toEqual({ status: 'open', epoch: 2, openMs: 2_000, untilMs: 4_000 });
    const twice = given(...threeFailures, started, failed(2_000, 1), started, failed(9_000, 2));
    expect(twice).toEqual({ status: 'open', epoch: 3, openMs: 3_000, untilMs: 12_000 });
  });

  it('lets another trial pass when the first one left without a result', () => {
    const state = given(...threeFailures, started, left(1));
    expect(mayPass(state, 5_000)).toBe(true);
  });

  it('does not hear what began before it opened', () => {
    const open = given(...threeFailures);
    const trial = given(...threeFailures, started);
    for (const late of [succeeded(), failed(500), left()]) {
      expect(evolveBreaker(open, late, thresholds)).toBe(open);
      expect(evolveBreaker(trial, late, thresholds)).toBe(trial);
    }
  });

  it('passes again some time after any history that leaves no trial in flight', () => {
    const event = fc.oneof(
      fc.constant(started),
      fc.nat(3).map(succeeded),
      fc.tuple(fc.nat(10_000), fc.nat(3)).map(([at, epoch]) => failed(at, epoch)),
      fc.nat(3).map(left),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const state = given(...events);
        const rested = evolveBreaker(state, left(state.epoch), thresholds);
        expect(mayPass(rested, 10_000 + thresholds.openMsMax)).toBe(true);
      }),
    );
  });
});
