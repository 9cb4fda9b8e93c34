import { type JobEvent } from '#events/jobs/job.events.js';
import {
  cancellationRequested,
  cancelled,
  completed,
  dispatched,
  failed,
  paused,
  started,
  submitted,
  timedOut,
} from './job.fixture.js';

/** Jobs that have come so far. */
export const queued = [submitted] as const;
export const assigned = [submitted, dispatched()] as const;
export const running = [...assigned, started()] as const;
export const cancelling = [...running, cancellationRequested()] as const;
export const waiting = [submitted, paused()] as const;

/** Every end of a job. */
export const ends: readonly (readonly [string, readonly JobEvent[]])[] = [
  ['completed', [...running, completed(100)]],
  ['failed', [...running, failed('torn')]],
  ['cancelled', [submitted, cancelled(15)]],
  ['timed out', [submitted, timedOut('queue', 3_600)]],
];
