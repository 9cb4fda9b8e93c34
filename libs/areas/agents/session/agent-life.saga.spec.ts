import { describe, it } from '@jest/globals';
import { JobCancelled, JobFailed, JobId, JobTimedOut } from '#events/jobs/job.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { agentLifeSaga } from './agent-life.saga.js';
import {
  ACCOUNT,
  endedAs,
  LATER,
  NOW,
  partOf,
  planned,
  released,
  returned,
  SESSION,
  started,
  USER,
} from './agents.fixture.js';

const saga = sagaSpecOf(agentLifeSaga);

const jobOf = (type: string) => ({
  jobId: JobId.parse(SESSION),
  accountId: ACCOUNT,
  type,
  submittedAt: NOW,
});
const failed = (type: string) =>
  JobFailed.of({
    ...jobOf(type),
    code: 'planner_unavailable',
    message: 'away',
    checkpoint: null,
    usage: [],
    failedAt: NOW,
  });
const cancelled = JobCancelled.of({
  ...jobOf('agent-session'),
  checkpoint: null,
  usage: [],
  cancelledAt: NOW,
});
const timedOut = JobTimedOut.of({
  ...jobOf('agent-session'),
  limit: 'run',
  checkpoint: null,
  usage: [],
  timedOutAt: NOW,
});

const keep = (digit: string) => ({
  kind: 'command' as const,
  command: {
    type: 'KeepTranscriptPart' as const,
    data: { sessionId: SESSION, userId: USER, part: partOf(digit) },
  },
});
const end = (status: 'failed' | 'cancelled', reason: string) => ({
  kind: 'command' as const,
  command: {
    type: 'EndAgentSession' as const,
    data: { sessionId: SESSION, status, reason, endedAt: NOW },
  },
});

describe('the life of an agent session', () => {
  it('keeps every part of the transcript', () => {
    saga.given().when(started).then(keep('a'));
    saga.given(started).when(planned(1, 'tool')).then(keep('b'));
    saga.given(started).when(returned()).then(keep('c'));
  });

  it('ends with its job', () => {
    saga.given(started).when(failed('agent-session')).then(end('failed', 'planner_unavailable'));
    saga.given(started).when(cancelled).then(end('cancelled', 'cancelled'));
    saga.given(started).when(timedOut).then(end('failed', 'timed_out'));
  });

  it('knows no job of another type, and none without a session', () => {
    saga.given(started).when(failed('batch')).thenNothing();
    saga.given().when(failed('agent-session')).thenNothing();
  });

  it('is charged at its end, and released when its time is over', () => {
    const data = { sessionId: SESSION };
    saga
      .given(started)
      .when(endedAs('completed', 'answered'))
      .then(
        { kind: 'command', command: { type: 'ChargeAgentSession', data } },
        {
          kind: 'schedule',
          timer: 'transcript',
          dueAt: LATER,
          command: { type: 'ReleaseAgentTranscript', data },
        },
      );
    saga.given(started, endedAs('completed', 'answered')).when(released).thenNothing();
  });
});
