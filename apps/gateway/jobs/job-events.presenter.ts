import { type LoggedJobEvent } from '#areas/jobs/job-history.handler.js';
import { type JobEvent } from '#events/jobs/job.events.js';
import { snakeCaseKeys } from '#platform/kernel/snake-case-keys.js';
import { namedEvent } from '../sse/sse.js';

/** The name of the event on the stream, and what it states. */
interface ShownEvent {
  readonly name: string;
  readonly facts: object;
}

/** Without the host and the terms of the hold. */
const shown = ({ type, data }: JobEvent): ShownEvent => {
  switch (type) {
    case 'JobSubmitted': {
      const { type: jobType, after, parent, retryOf, attemptsMax, startBefore } = data;
      const summary = snakeCaseKeys(data.summary);
      const order = { type: jobType, summary, after, parent_id: parent, retry_of: retryOf };
      const limits = { attempts_max: attemptsMax, start_before: startBefore };
      return { name: 'submitted', facts: { ...order, ...limits } };
    }
    case 'JobDispatched':
      return { name: 'dispatched', facts: { attempt: data.attempt, start_by: data.startBy } };
    case 'JobStarted':
      return { name: 'started', facts: { attempt: data.attempt, run_until: data.runUntil } };
    case 'JobProgressed': {
      const { attempt, done, total, progress, usage } = data;
      const details = snakeCaseKeys(progress);
      return { name: 'progressed', facts: { attempt, done, total, details, usage } };
    }
    case 'JobAttemptEnded': {
      const { attempt, reason, code, message, retryAt, startBefore } = data;
      const next = { retry_at: retryAt, start_before: startBefore };
      return { name: 'attempt_ended', facts: { attempt, reason, code, message, ...next } };
    }
    case 'JobRenewed':
      return { name: 'renewed', facts: { hold_expires_at: data.expiresAt } };
    case 'JobPaused':
      return { name: 'paused', facts: { reason: data.reason, paused_until: data.until } };
    case 'JobResumed':
      return { name: 'resumed', facts: { start_before: data.startBefore } };
    case 'JobCancellationRequested':
      return { name: 'cancellation_requested', facts: { stop_by: data.stopBy } };
    case 'JobCompleted': {
      const { attempt, usage } = data;
      const result = { ...data.result, summary: snakeCaseKeys(data.summary) };
      return { name: 'completed', facts: { attempt, result, usage } };
    }
    case 'JobFailed': {
      const { code, message, usage } = data;
      return { name: 'failed', facts: { code, message, usage } };
    }
    case 'JobCancelled':
      return { name: 'cancelled', facts: { usage: data.usage } };
    case 'JobTimedOut':
      return { name: 'timed_out', facts: { limit: data.limit, usage: data.usage } };
    case 'JobSettled': {
      const { outcome, amountMicroUsd } = data;
      return { name: 'settled', facts: { outcome, amount_micro_usd: amountMicroUsd } };
    }
    case 'JobForgotten':
      return { name: 'forgotten', facts: {} };
  }
};

/** A server-sent event, whose id is the revision. */
export const presentJobEvent = ({ revision, recordedAt, event }: LoggedJobEvent): string => {
  const { name, facts } = shown(event);
  const job = { job_id: event.data.jobId, recorded_at: recordedAt };
  return namedEvent(name, String(revision), { ...job, ...facts });
};
