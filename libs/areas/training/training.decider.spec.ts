import { describe, it } from '@jest/globals';
import { TrainingOrdered, TrainingWithdrawn } from '#events/training/training.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type TrainingCommand, trainingDecider } from './training.decider.js';

const account = deciderSpecOf(trainingDecider);
const ORDERED_AT = '2026-03-01T09:00:00.000Z';
const [FIRST, SECOND] = [
  '0e9e9b5e-6a1c-5d2a-9f5a-1f6f0d1c2b3a',
  '1e9e9b5e-6a1c-5d2a-9f5a-1f6f0d1c2b3a',
] as const;

const named = (jobId: string, jobName: string) => ({ accountId: '7', jobId, jobName });
const order = (jobId: string, jobName: string): TrainingCommand => ({
  type: 'OrderTraining',
  data: { ...named(jobId, jobName), orderedAt: ORDERED_AT },
});
const withdraw = (jobId: string, jobName: string): TrainingCommand => ({
  type: 'WithdrawTraining',
  data: { ...named(jobId, jobName), withdrawnAt: ORDERED_AT },
});
const ordered = (jobId: string, jobName: string, number: number) =>
  TrainingOrdered.of({ ...named(jobId, jobName), number, orderedAt: ORDERED_AT });
const withdrawn = (jobId: string, jobName: string) =>
  TrainingWithdrawn.of({ ...named(jobId, jobName), withdrawnAt: ORDERED_AT });

describe('the trainings of an account', () => {
  it('are numbered in their order, once each', () => {
    account
      .given()
      .when(order(FIRST, 'a'))
      .then(ordered(FIRST, 'a', 1));
    account
      .given(ordered(FIRST, 'a', 1))
      .when(order(FIRST, 'a'))
      .thenNothing();
    account
      .given(ordered(FIRST, 'a', 1))
      .when(order(SECOND, 'b'))
      .then(ordered(SECOND, 'b', 2));
  });

  it('use a name once', () => {
    const used = account.given(ordered(FIRST, 'a', 1));
    used.when(order(SECOND, 'a')).thenThrows('training_name_used');
  });

  it('free the name of a job that was rejected, and keep its number', () => {
    const history = [ordered(FIRST, 'a', 1), withdrawn(FIRST, 'a')] as const;
    account
      .given(ordered(FIRST, 'a', 1))
      .when(withdraw(FIRST, 'a'))
      .then(withdrawn(FIRST, 'a'));
    account
      .given(...history)
      .when(withdraw(FIRST, 'a'))
      .thenNothing();
    account
      .given(...history)
      .when(order(SECOND, 'a'))
      .then(ordered(SECOND, 'a', 2));
    account
      .given(...history)
      .when(order(FIRST, 'a'))
      .then(ordered(FIRST, 'a', 1));
  });

  it('do not withdraw the name of another job', () => {
    account
      .given(ordered(FIRST, 'a', 1))
      .when(withdraw(SECOND, 'a'))
      .thenNothing();
  });
});
