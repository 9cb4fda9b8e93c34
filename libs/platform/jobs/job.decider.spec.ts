import { describe, it } from '@jest/globals';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type JobCommand, jobDecider } from './job.decider.js';
import { assigned, cancelling, ends, queued, running, waiting } from './job.facts.fixture.js';
import {
  attemptEnded,
  at,
  blob,
  cancel,
  cancelled,
  complete,
  completed,
  dispatch,
  dispatched,
  endAttempt,
  failed,
  OTHER_HOST,
  OTHER_JOB,
  paused,
  progressed,
  report,
  rows,
  settle,
  start,
  started,
  submit,
  submitted,
} from './job.fixture.js';

const job = deciderSpecOf(jobDecider);

describe('a submission', () => {
  it('opens the job', () => {
    job.given().when(submit()).then(submitted);
  });

  it('that is repeated is the same job, whenever it comes', () => {
    const later = { submittedAt: at(5), startBefore: at(3_605), hold: null };
    job
      .given(...queued)
      .when(submit(later))
      .thenNothing();
    job
      .given(...running, completed(100))
      .when(submit())
      .thenNothing();
  });

  it.each([
    ['account', { accountId: '8' }],
    ['type', { type: 'spinning' }],
    ['input', { input: blob('b') }],
    ['parent', { parent: OTHER_JOB }],
  ])('of another %s under the same id is rejected', (_, other) => {
    job
      .given(...queued)
      .when(submit(other))
      .thenThrows('job_conflict');
  });

  it.each<[string, JobCommand]>([
    ['dispatched', dispatch()],
    ['cancelled', cancel()],
    ['settled', settle()],
  ])('must come before the job is %s', (_, command) => {
    job.given().when(command).thenThrows('job_not_found');
  });
});

describe('a dispatch', () => {
  it('gives the next attempt to a host', () => {
    job
      .given(...queued)
      .when(dispatch())
      .then(dispatched());
    job
      .given(...running, attemptEnded('lost'))
      .when(dispatch(2, 30, OTHER_HOST))
      .then(dispatched(2, 30, OTHER_HOST));
  });

  it('of an attempt that is dispatched already is ignored', () => {
    job
      .given(...assigned)
      .when(dispatch())
      .thenNothing();
    job
      .given(...assigned)
      .when(dispatch(1, 1, OTHER_HOST))
      .thenNothing();
    job
      .given(...assigned)
      .when(dispatch(2, 2, OTHER_HOST))
      .thenNothing();
  });

  it('of any other attempt than the next is ignored', () => {
    job
      .given(...queued)
      .when(dispatch(2))
      .thenNothing();
    job
      .given(...running, attemptEnded('lost'))
      .when(dispatch(1, 30))
      .thenNothing();
  });

  it('before the pause after an attempt is over is ignored', () => {
    job
      .given(...running, attemptEnded('lost'))
      .when(dispatch(2, 29))
      .thenNothing();
  });

  it.each([['runs', running], ['is paused', waiting], ['is being cancelled', cancelling], ...ends])(
    'of a job that %s is ignored',
    (_, facts) => {
      job
        .given(...facts)
        .when(dispatch(2, 50))
        .thenNothing();
    },
  );
});

describe('the start of an attempt', () => {
  it('gives it the time that is left', () => {
    job
      .given(...assigned)
      .when(start())
      .then(started());
    // The first attempt ran from 2 to 20 s, so 102 of 120 s are left.
    job
      .given(...running, attemptEnded('failed'), dispatched(2, 40))
      .when(start(42, { attempt: 2 }))
      .then(started(2, 42, 42 + 102));
    job
      .given(...running, attemptEnded('drained', { seconds: 200 }), dispatched(2, 240))
      .when(start(242, { attempt: 2 }))
      .then(started(2, 242, 242));
  });

  it('on the word of another host or of an older attempt is ignored', () => {
    job
      .given(...assigned)
      .when(start(2, { host: OTHER_HOST }))
      .thenNothing();
    job
      .given(...assigned)
      .when(start(2, { attempt: 2 }))
      .thenNothing();
    const again = [...running, attemptEnded('lost'), dispatched(2, 40)];
    job
      .given(...again)
      .when(start(42))
      .thenNothing();
  });

  it('that is repeated or late is ignored', () => {
    job
      .given(...running)
      .when(start())
      .thenNothing();
    job
      .given(...assigned, attemptEnded('not_started'))
      .when(start(40))
      .thenNothing();
    job
      .given(...assigned, cancelled(15))
      .when(start(16))
      .thenNothing();
  });
});

describe('progress', () => {
  it('is recorded, also while the job is being cancelled', () => {
    job
      .given(...running)
      .when(report(1, 10))
      .then(progressed(1, 10));
    job
      .given(...running, progressed(1, 10))
      .when(report(4, 40))
      .then(progressed(4, 40));
    job
      .given(...cancelling)
      .when(report(1, 10))
      .then(progressed(1, 10));
  });

  it('never lowers the usage', () => {
    const before = [...running, progressed(1, 40), attemptEnded('lost')];
    const again = [...before, dispatched(2, 40), started(2, 42)];
    const { data } = progressed(1, 15, { attempt: 2 });
    job
      .given(...again)
      .when(report(1, 15, { attempt: 2 }))
      .then({ type: 'JobProgressed', data: { ...data, usage: [rows(40)] } });
  });

  it('that is repeated or overtaken is ignored', () => {
    job
      .given(...running, progressed(3, 30))
      .when(report(3, 30))
      .thenNothing();
    job
      .given(...running, progressed(3, 30))
      .when(report(2, 20))
      .thenNothing();
  });

  it('is counted from 1 again in another attempt', () => {
    const before = [...running, progressed(3, 30), attemptEnded('lost')];
    job
      .given(...before, dispatched(2, 40), started(2, 42))
      .when(report(1, 35, { attempt: 2 }))
      .then(progressed(1, 35, { attempt: 2 }));
  });

  it.each([
    ['another host', running, report(1, 10, { host: OTHER_HOST })],
    ['a later attempt', running, report(1, 10, { attempt: 2 })],
    ['a lost attempt', [...running, attemptEnded('lost')], report(1, 10)],
    ['an attempt that has not started', assigned, report(1, 10)],
    ['a paused attempt', [...running, attemptEnded('paused'), paused()], report(1, 10)],
  ] as const)('on the word of %s is ignored', (_, facts, command) => {
    job
      .given(...facts)
      .when(command)
      .thenNothing();
  });

  it.each(ends)('of a job that has %s is ignored', (_, facts) => {
    job
      .given(...facts)
      .when(report(9, 90))
      .thenNothing();
  });
});

describe('the end of an attempt', () => {
  it.each(['failed', 'lost', 'drained'] as const)(
    'that was %s is followed by another',
    (reason) => {
      job
        .given(...running)
        .when(endAttempt(reason))
        .then(attemptEnded(reason));
      job
        .given(...assigned)
        .when(endAttempt(reason))
        .then(attemptEnded(reason));
    },
  );

  it('that was not started is followed by another', () => {
    job
      .given(...assigned)
      .when(endAttempt('not_started'))
      .then(attemptEnded('not_started'));
    job
      .given(...running)
      .when(endAttempt('not_started'))
      .thenNothing();
  });

  const lost = (attempt: number) => [
    dispatched(attempt, attempt * 40),
    started(attempt, attempt * 40 + 1),
    attemptEnded('lost', { attempt, seconds: attempt * 40 + 2, retry: attempt * 40 + 3 }),
  ];
  const third = [dispatched(3, 120), started(3, 121)];

  it('fails the job when it was the last one that may fail', () => {
    job
      .given(submitted, ...lost(1), ...lost(2), ...third)
      .when(endAttempt('failed', { attempt: 3, code: 'torn' }))
      .then(failed('torn'));
  });

  it('does not count when the host was stopping', () => {
    const drained = { attempt: 3, seconds: 130, retry: 130 };
    job
      .given(submitted, ...lost(1), ...lost(2), ...third)
      .when(endAttempt('drained', drained))
      .then(attemptEnded('drained', drained));
    job
      .given(submitted, ...lost(1), dispatched(2, 80), started(2, 81))
      .when(endAttempt('drained', { attempt: 2, isFinal: true }))
      .then(attemptEnded('drained', { attempt: 2 }));
  });

  it('fails the job at once when no attempt can succeed', () => {
    job
      .given(...running, progressed(1, 10))
      .when(endAttempt('failed', { code: 'torn', isFinal: true }))
      .then(failed('torn', { checkpoint: blob('c'), usage: [rows(10)] }));
  });

  it('cancels a job that is being cancelled, with its finished part', () => {
    job
      .given(...cancelling, progressed(1, 10))
      .when(endAttempt('failed', { isFinal: true }))
      .then(cancelled(20, { checkpoint: blob('c'), usage: [rows(10)] }));
  });

  it.each([
    ['another host', running, endAttempt('failed', { host: OTHER_HOST })],
    ['an older attempt', [...running, ...lost(1), dispatched(2, 80)], endAttempt('lost')],
    ['a job that waits', queued, endAttempt('lost')],
    ['a paused job', [...running, attemptEnded('paused'), paused()], endAttempt('failed')],
  ] as const)('on the word of %s is ignored', (_, facts, command) => {
    job
      .given(...facts)
      .when(command)
      .thenNothing();
  });

  it.each(ends)('of a job that has %s is ignored', (_, facts) => {
    job
      .given(...facts)
      .when(endAttempt('failed', { isFinal: true }))
      .thenNothing();
  });
});

describe('a completion', () => {
  it('ends the job, also while it is being cancelled', () => {
    job
      .given(...running)
      .when(complete(100))
      .then(completed(100));
    job
      .given(...cancelling)
      .when(complete(100))
      .then(completed(100));
  });

  it('never lowers the usage', () => {
    job
      .given(...running, progressed(1, 40))
      .when(complete(30))
      .then(completed(40));
  });

  it.each([
    ['another host', running, complete(100, { host: OTHER_HOST })],
    ['an attempt that has not started', assigned, complete(100)],
    ['a lost attempt', [...running, attemptEnded('lost')], complete(100)],
    [
      'a lost attempt while another runs',
      [...running, attemptEnded('lost'), dispatched(2, 40, OTHER_HOST), started(2, 42)],
      complete(100),
    ],
  ] as const)('on the word of %s is ignored', (_, facts, command) => {
    job
      .given(...facts)
      .when(command)
      .thenNothing();
  });

  it.each(ends)('of a job that has %s is ignored', (_, facts) => {
    job
      .given(...facts)
      .when(complete(100))
      .thenNothing();
  });
});
