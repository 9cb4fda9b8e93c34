import { type ObservedAttempt } from './attempt-table.js';

export const START_MS = Date.parse('2026-11-25T17:59:59.000Z');

/** An attempt of a second that cost nothing known. */
export const observedAttempt = (more: Partial<ObservedAttempt> = {}): ObservedAttempt => ({
  account: '7',
  holdId: null,
  model: 'acme/m',
  sent: 'm',
  rig: 'rack',
  outcome: 'answered',
  usage: null,
  cost: null,
  startedAtMs: START_MS,
  endedAtMs: START_MS + 1_000,
  ...more,
});
