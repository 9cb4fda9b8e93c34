import { describe, expect, it } from '@jest/globals';
import { type JobEvent } from '#events/jobs/job.events.js';
import { ends, running } from '#platform/jobs/job.facts.fixture.js';
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
  OTHER_JOB,
  paused,
  progressed,
  renewed,
  resumed,
  rows,
  settled,
  started,
  submitted,
} from '#platform/jobs/job.fixture.js';
import { jobKey, type JobRecord, jobs } from '#projections/jobs/jobs.projection.js';
import { type OpenJob, openJobs, openJobsPrefix } from '#projections/jobs/open-jobs.projection.js';

const KEY = `7/${at(0)}/${JOB}`;
const recordOf = (...events: readonly JobEvent[]): JobRecord =>
  events.reduce<JobRecord>(
    (record, event) => jobs.project(event, record, KEY) ?? record,
    jobs.initial(KEY),
  );

type OpenJobEvent = Parameters<typeof openJobs.project>[0];
const isOfOpenJobs = (event: JobEvent): event is OpenJobEvent => event.type in openJobs.on;
const openOf = (...events: readonly JobEvent[]): OpenJob | null =>
  events
    .filter(isOfOpenJobs)
    .reduce<OpenJob | null>(
      (job, event) => openJobs.project(event, job ?? openJobs.initial(''), ''),
      null,
    );

describe('the jobs of an account', () => {
  it('are in the order of their submission', () => {
    expect(jobKey(submitted.data)).toBe(KEY);
    expect(jobs.keys(completed(100))).toEqual([KEY]);
  });

  it('show the order, what runs, and what it has used', () => {
    expect(recordOf(submitted)).toMatchObject({
      jobId: JOB,
      status: 'queued',
      summary: { rows: 100 },
      attempt: 0,
      attemptsMax: 3,
      progress: null,
      charge: null,
    });
    expect(recordOf(...running, progressed(2, 40))).toMatchObject({
      status: 'running',
      attempt: 1,
      host: HOST,
      startedAt: at(2),
      runUntil: at(122),
      progress: { done: 40, total: 100, shown: { colour: 'red' }, progressedAt: at(10) },
      usage: [rows(40)],
    });
  });

  it('wait for others until they are dispatched', () => {
    const after = { ...submitted, data: { ...order, after: [OTHER_JOB] } };
    expect(recordOf(after).status).toBe('waiting');
    expect(recordOf(after, dispatched()).status).toBe('dispatched');
  });

  it('keep the start of the first attempt, and say why the last one ended', () => {
    const again = [...running, attemptEnded('lost'), dispatched(2, 40), started(2, 42)];
    expect(recordOf(...again)).toMatchObject({
      status: 'running',
      attempt: 2,
      startedAt: at(2),
      runUntil: at(162),
      error: { code: 'lost', message: 'a thread tore' },
    });
    expect(recordOf(...again, completed(100, { attempt: 2 })).error).toBeNull();
  });

  it('are paused and resumed', () => {
    expect(recordOf(submitted, paused())).toMatchObject({ status: 'paused', pausedUntil: at(640) });
    expect(recordOf(submitted, paused(), resumed())).toMatchObject({
      status: 'queued',
      pausedUntil: null,
      startBefore: at(3_700),
    });
  });

  it('end with their remains and their charge', () => {
    expect(recordOf(...running, cancellationRequested()).status).toBe('cancelling');
    expect(
      recordOf(...running, renewed(150), completed(90), settled(450), forgotten),
    ).toMatchObject({
      status: 'completed',
      endedAt: at(60),
      usage: [rows(90)],
      result: { blob: blob('e'), summary: { length: 3 } },
      charge: { outcome: 'charged', amount: '450' },
      forgottenAt: forgotten.data.forgottenAt,
      runUntil: null,
    });
    const statuses = ends.map(([, facts]) => recordOf(...facts).status);
    expect(statuses).toEqual(['completed', 'failed', 'cancelled', 'timed_out']);
    expect(recordOf(...(ends[1]?.[1] ?? [])).error?.code).toBe('torn');
    expect(recordOf(...(ends[3]?.[1] ?? [])).limit).toBe('queue');
  });
});

describe('the open jobs', () => {
  it('of one account and type are together', () => {
    expect(openJobs.keys(submitted)).toEqual([`${openJobsPrefix('7', 'weaving')}${JOB}`]);
  });

  it('have what the next attempt needs', () => {
    expect(openOf(...running, progressed(1, 10), attemptEnded('lost'))).toEqual({
      jobId: JOB,
      accountId: '7',
      type: 'weaving',
      submittedAt: at(0),
      status: 'queued',
      input: blob('a'),
      after: [],
      parent: null,
      attempt: 1,
      host: null,
      retryAt: at(30),
      checkpoint: blob('c'),
      usage: [rows(10)],
    });
    expect(openOf(submitted, paused(), resumed())).toMatchObject({ status: 'queued', host: null });
    expect(openOf(submitted, paused())).toMatchObject({ status: 'paused' });
    expect(openOf(...running, cancellationRequested())).toMatchObject({
      status: 'cancelling',
      host: HOST,
    });
  });

  it.each(ends)('are without a job that has %s', (_, facts) => {
    expect(openOf(...facts)).toBeNull();
  });
});
