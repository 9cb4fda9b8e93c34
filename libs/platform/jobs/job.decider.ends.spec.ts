import { describe, expect, it } from '@jest/globals';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { jobDecider } from './job.decider.js';
import { assigned, cancelling, ends, queued, running, waiting } from './job.facts.fixture.js';
import {
  attemptEnded,
  blob,
  cancel,
  cancellationRequested,
  cancelled,
  completed,
  dispatch,
  dispatched,
  fail,
  failed,
  finishCancellation,
  forget,
  forgotten,
  order,
  pause,
  paused,
  progressed,
  renew,
  renewed,
  resume,
  resumed,
  rows,
  settle,
  settled,
  timedOut,
  timeOut,
} from './job.fixture.js';

const job = deciderSpecOf(jobDecider);

describe('a cancellation', () => {
  it.each([
    ['is queued', queued],
    ['has not started', assigned],
    ['is paused', waiting],
    ['waits for another attempt', [...running, attemptEnded('lost')]],
  ])('ends a job at once that %s', (_, facts) => {
    job
      .given(...facts)
      .when(cancel())
      .then(cancelled(15));
  });

  it('asks a running job to stop, once', () => {
    job
      .given(...running)
      .when(cancel())
      .then(cancellationRequested());
    job
      .given(...cancelling)
      .when(cancel(20))
      .thenNothing();
  });

  it('is finished when the time to stop is over, and not before', () => {
    job
      .given(...cancelling)
      .when(finishCancellation(44))
      .thenNothing();
    job
      .given(...cancelling)
      .when(finishCancellation(45))
      .then(cancelled(45));
    job
      .given(...running)
      .when(finishCancellation(45))
      .thenNothing();
  });

  it.each(ends)('of a job that has %s is ignored', (_, facts) => {
    job
      .given(...facts)
      .when(cancel())
      .thenNothing();
    job
      .given(...facts)
      .when(finishCancellation(99))
      .thenNothing();
  });
});

describe('a time-out', () => {
  it('ends a job that has waited too long for a host', () => {
    job
      .given(...queued)
      .when(timeOut('queue', 3_599))
      .thenNothing();
    job
      .given(...queued)
      .when(timeOut('queue', 3_600))
      .then(timedOut('queue', 3_600));
    job
      .given(...assigned)
      .when(timeOut('queue', 3_600))
      .then(timedOut('queue', 3_600));
    job
      .given(...running)
      .when(timeOut('queue', 3_600))
      .thenNothing();
  });

  it('gives a job the same time to wait for each attempt', () => {
    const again = [...running, attemptEnded('lost', { retry: 30 })];
    job
      .given(...again)
      .when(timeOut('queue', 3_600))
      .thenNothing();
    job
      .given(...again)
      .when(timeOut('queue', 3_630))
      .then(timedOut('queue', 3_630));
  });

  it('ends a job that has run too long, with its finished part', () => {
    job
      .given(...running)
      .when(timeOut('run', 121))
      .thenNothing();
    job
      .given(...running, progressed(1, 10))
      .when(timeOut('run', 122))
      .then(timedOut('run', 122, { checkpoint: blob('c'), usage: [rows(10)] }));
    job
      .given(...running, attemptEnded('lost'))
      .when(timeOut('run', 122))
      .thenNothing();
    job
      .given(...cancelling)
      .when(timeOut('run', 122))
      .thenNothing();
  });

  it('ends a job that has waited too long for funds', () => {
    job
      .given(...waiting)
      .when(timeOut('funds', 639))
      .thenNothing();
    job
      .given(...waiting)
      .when(timeOut('funds', 640))
      .then(timedOut('funds', 640));
    job
      .given(...waiting, resumed())
      .when(timeOut('funds', 640))
      .thenNothing();
    job
      .given(...waiting)
      .when(timeOut('queue', 9_999))
      .thenNothing();
  });

  it.each(ends)('of a job that has %s is ignored', (_, facts) => {
    for (const limit of ['queue', 'run', 'funds'] as const) {
      job
        .given(...facts)
        .when(timeOut(limit, 99_999))
        .thenNothing();
    }
  });
});

describe('a failure from outside', () => {
  it('ends a job that does not run', () => {
    job
      .given(...queued)
      .when(fail('dependency_failed'))
      .then(failed('dependency_failed'));
    job
      .given(...waiting)
      .when(fail('dependency_failed'))
      .then(failed('dependency_failed'));
  });

  it.each([['runs', running], ['is dispatched', assigned], ...ends] as const)(
    'leaves a job as it is that %s',
    (_, facts) => {
      job
        .given(...facts)
        .when(fail('dependency_failed'))
        .thenNothing();
    },
  );
});

describe('a pause', () => {
  const message = 'the account cannot pay for the next period';
  const stopped = attemptEnded('paused', {
    seconds: 40,
    retry: 40,
    code: 'insufficient_funds',
    message,
  });

  it('ends the attempt, which does not count', () => {
    job
      .given(...running)
      .when(pause())
      .then(stopped, paused());
    job
      .given(...assigned)
      .when(pause())
      .then(stopped, paused());
    job
      .given(...queued)
      .when(pause())
      .then(paused());
  });

  it('ends with the funds, and another attempt may start at once', () => {
    job
      .given(...running, stopped, paused())
      .when(resume())
      .then(resumed());
    job
      .given(...running, stopped, paused(), resumed())
      .when(dispatch(2, 100))
      .then(dispatched(2, 100));
    job
      .given(...running)
      .when(resume())
      .thenNothing();
  });

  it('of a job that is paused or being cancelled is ignored', () => {
    job
      .given(...waiting)
      .when(pause(50, 900))
      .thenNothing();
    job
      .given(...cancelling)
      .when(pause())
      .thenNothing();
  });

  it.each(ends)('of a job that has %s is ignored', (_, facts) => {
    job
      .given(...facts)
      .when(pause())
      .thenNothing();
    job
      .given(...facts)
      .when(resume())
      .thenNothing();
  });
});

describe('a renewal', () => {
  it('is recorded with everything that is held', () => {
    job
      .given(...running)
      .when(renew(150))
      .then(renewed(150));
    job
      .given(...waiting)
      .when(renew(100))
      .then(renewed(100));
  });

  it('that does not last longer is ignored', () => {
    job
      .given(...running, renewed(150))
      .when(renew(150))
      .thenNothing();
    job
      .given(...running, renewed(150, 1_500))
      .when(renew(200, 1_200))
      .thenNothing();
  });

  it('of a job that costs nothing or has ended is ignored', () => {
    const free = { type: 'JobSubmitted', data: { ...order, hold: null } } as const;
    job.given(free).when(renew(150)).thenNothing();
    for (const [, facts] of ends)
      job
        .given(...facts)
        .when(renew(150))
        .thenNothing();
  });
});

describe('a settlement', () => {
  it.each(ends)('is recorded once for a job that has %s', (_, facts) => {
    job
      .given(...facts)
      .when(settle())
      .then(settled());
    job
      .given(...facts, settled())
      .when(settle())
      .thenNothing();
  });

  it('of an open job is rejected', () => {
    job
      .given(...running)
      .when(settle())
      .thenThrows('job_not_ended');
  });
});

describe('forgetting', () => {
  it('happens once, after the end', () => {
    job
      .given(...running, completed(100))
      .when(forget)
      .then(forgotten);
    job
      .given(...running, completed(100), forgotten)
      .when(forget)
      .thenNothing();
    job
      .given(...running)
      .when(forget)
      .thenThrows('job_not_ended');
  });
});

describe('the state', () => {
  it('takes every event in any order', () => {
    const all = [...cancelling, ...waiting, ...ends.flatMap(([, facts]) => facts), settled()];
    for (const event of [...all, ...all.toReversed()]) {
      expect(() => jobDecider.evolve(jobDecider.initialState, event)).not.toThrow();
    }
  });
});
