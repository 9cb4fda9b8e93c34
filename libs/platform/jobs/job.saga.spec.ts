import { describe, expect, it } from '@jest/globals';
import { JobPaused, JobSubmitted } from '#events/jobs/job.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { assigned, ends, running } from './job.facts.fixture.js';
import {
  at,
  attemptEnded,
  blob,
  cancellationRequested,
  completed,
  dispatched,
  forgotten,
  HOST,
  JOB,
  order,
  paused,
  progressed,
  renewed,
  resumed,
  settled,
  started,
  submitted,
} from './job.fixture.js';
import { FUNDS_TIMERS_MAX, jobSaga } from './job.saga.js';

const saga = sagaSpecOf(jobSaga);
const free = JobSubmitted.of({ ...order, hold: null });

const data = { jobId: JOB };
const cancelTimers = (...timers: string[]) =>
  timers.map((timer) => ({ kind: 'cancel', timer }) as const);
const timeOut = (limit: 'queue' | 'run' | 'funds', dueAt: string) =>
  ({
    kind: 'schedule',
    timer: limit,
    dueAt,
    command: { type: 'TimeOutJob', data: { ...data, limit } },
  }) as const;
const renewal = (dueAt: string) =>
  ({
    kind: 'schedule',
    timer: 'renewal',
    dueAt,
    command: { type: 'RenewJobHold', data },
  }) as const;
const look = (index: number, dueAt: string) =>
  ({
    kind: 'schedule',
    timer: `funds-${index}`,
    dueAt,
    command: { type: 'RetryJobFunds', data },
  }) as const;
const named = (role: 'input' | 'checkpoint' | 'result', digit: string) => ({
  ...data,
  accountId: '7',
  role,
  address: blob(digit).address,
});
const keep = (role: 'input' | 'checkpoint' | 'result', digit: string) =>
  ({ kind: 'command', command: { type: 'KeepJobBlob', data: named(role, digit) } }) as const;
const release = (digit: string) =>
  ({
    kind: 'command',
    command: { type: 'ReleaseJobBlob', data: named('checkpoint', digit) },
  }) as const;
const charge = { kind: 'command', command: { type: 'ChargeJob', data } } as const;
const forgetAt = (endedAt: string) => {
  const dueAt = new Date(Date.parse(endedAt) + 30 * 86_400_000).toISOString();
  const command = { type: 'ForgetJob', data } as const;
  return { kind: 'schedule', timer: 'forget', dueAt, command } as const;
};

describe('the time-outs of a job', () => {
  it('begin with the time in the queue', () => {
    saga
      .given()
      .when(free)
      .then(keep('input', 'a'), timeOut('queue', at(3_600)));
  });

  it('end an attempt that the host does not start', () => {
    const missed = { ...data, attempt: 1, host: HOST, startBy: at(31) };
    saga
      .given(free)
      .when(dispatched())
      .then({
        kind: 'schedule',
        timer: 'start',
        dueAt: at(31),
        command: { type: 'MissJobStart', data: missed },
      });
  });

  it('bound the run once it has started', () => {
    saga
      .given(...assigned)
      .when(started())
      .then(...cancelTimers('start', 'queue'), timeOut('run', at(122)));
  });

  it('bound the time in the queue again after an attempt', () => {
    saga
      .given(...running)
      .when(attemptEnded('lost'))
      .then(...cancelTimers('start', 'run'), timeOut('queue', at(3_630)));
  });

  it('bound the time that a cancelled job may take to stop', () => {
    saga
      .given(...running)
      .when(cancellationRequested())
      .then({
        kind: 'schedule',
        timer: 'stop',
        dueAt: at(45),
        command: { type: 'FinishJobCancellation', data },
      });
  });
});

describe('the hold of a job', () => {
  it('is renewed ten minutes before its deadline, each time', () => {
    saga
      .given()
      .when(submitted)
      .then(keep('input', 'a'), timeOut('queue', at(3_600)), renewal(at(300)));
    saga
      .given(submitted)
      .when(renewed(150, 1_200))
      .then(renewal(at(600)));
  });

  it('is asked for funds every minute while the job is paused', () => {
    saga
      .given(submitted)
      .when(paused(40, 230))
      .then(
        ...cancelTimers('queue'),
        look(1, at(100)),
        look(2, at(160)),
        look(3, at(220)),
        timeOut('funds', at(230)),
      );
    saga
      .given(submitted, paused(40, 230))
      .when(resumed(100))
      .then(...cancelTimers('funds', 'funds-1', 'funds-2', 'funds-3'), timeOut('queue', at(3_700)));
  });

  it('is asked for less often in a long pause', () => {
    const { data: pause } = paused();
    const long = JobPaused.of({ ...pause, until: at(40 + 604_800) });
    const looks = jobSaga
      .react(long, jobSaga.initialState)
      .filter((action) => action.kind === 'schedule' && action.timer.startsWith('funds-'));
    expect(looks).toHaveLength(FUNDS_TIMERS_MAX - 1);
  });

  it.each(ends)('is charged when the job has %s', (_, facts) => {
    const last = facts.at(-1) ?? submitted;
    const actions = jobSaga.react(last, { checkpoint: null, hasHold: true, fundsTimers: 0 });
    expect(actions).toContainEqual(charge);
    const ofFree = jobSaga.react(last, { checkpoint: null, hasHold: false, fundsTimers: 0 });
    expect(ofFree).not.toContainEqual(charge);
  });
});

describe('the end of a job', () => {
  const all = ['queue', 'start', 'run', 'stop', 'renewal', 'funds'];

  it('cancels every timer, charges, and forgets the job after thirty days', () => {
    saga
      .given(...running)
      .when(completed(100))
      .then(keep('result', 'e'), ...cancelTimers(...all), charge, forgetAt(at(60)));
  });

  it('cancels the timers of a pause', () => {
    const end = ends[2]?.[1].at(-1) ?? submitted;
    saga
      .given(submitted, paused(40, 230))
      .when(end)
      .then(...cancelTimers(...all, 'funds-1', 'funds-2', 'funds-3'), charge, forgetAt(at(15)));
  });

  it('ends the process when the job is forgotten', () => {
    const settledJob = [...running, completed(100), settled()];
    saga
      .given(...settledJob)
      .when(forgotten)
      .thenNothing();
    saga
      .given(...settledJob)
      .when(forgotten)
      .thenEnds();
    saga
      .given(...running, completed(100))
      .when(settled())
      .thenNothing();
  });
});

describe('the blobs of a job', () => {
  it('are its last checkpoint: the one before is released', () => {
    saga
      .given(...running)
      .when(progressed(1, 10))
      .then(keep('checkpoint', 'c'));
    saga
      .given(...running, progressed(1, 10))
      .when(progressed(2, 20, { checkpoint: blob('d') }))
      .then(keep('checkpoint', 'd'), release('c'));
    saga
      .given(...running, progressed(1, 10))
      .when(progressed(2, 20))
      .thenNothing();
    saga
      .given(...running, progressed(1, 10))
      .when(progressed(2, 20, { checkpoint: null }))
      .then(release('c'));
  });

  it('are the result of a completed job, and no checkpoint', () => {
    const actions = jobSaga.react(completed(100), {
      checkpoint: blob('c').address,
      hasHold: false,
      fundsTimers: 0,
    });
    expect(actions.slice(0, 2)).toEqual([keep('result', 'e'), release('c')]);
  });
});

describe('a job', () => {
  it('is a process of its own', () => {
    expect(jobSaga.key(submitted)).toBe(JOB);
  });
});
