import { describe, expect, it } from '@jest/globals';
import { JobId } from '#events/jobs/job.events.js';
import { ProductMismatchError } from '#platform/ledger/product.js';
import { ReportProgressCommand } from '#platform/jobs/job.commands.js';
import { jobStream } from '#platform/jobs/job-streams.js';
import { HOST, jobIdOf, submitted } from './jobs-on-hosts.fixture.js';
import { JobsWorld } from './jobs-world.fixture.js';
import { weavingType } from './weaving.fixture.js';

const type = weavingType();
const rejected = (code: string): unknown => expect.objectContaining({ name: 'DomainError', code });
const DAY_SECONDS = 86_400;

const completedJob = async (ofType = type) => {
  const world = await JobsWorld.open(ofType, 1_000);
  const job = await submitted(world, 1);
  await job.begin();
  await job.progress(20);
  await job.complete(40);
  await world.process.react();
  return { world, job };
};

describe('what a job leaves', () => {
  it('is the result of a completed one', async () => {
    const { world, job } = await completedJob();
    expect(await world.process.service.result(type, job.jobId)).toEqual({ cloth: '40 rows' });
  });

  it('is the last checkpoint of another one', async () => {
    const world = await JobsWorld.open(type, 1_000);
    const job = await submitted(world, 1);
    const { service } = world.process;
    expect(await service.checkpoint(type, job.jobId)).toBeNull();
    await job.begin();
    await job.progress(20);
    await job.progress(30);
    await job.end('failed', 'no_yarn');
    expect(await service.result(type, job.jobId)).toBeNull();
    expect(await service.checkpoint(type, job.jobId)).toEqual({ rows: 30 });
  });

  it('is found under its own type only', async () => {
    const { world, job } = await completedJob();
    const { service } = world.process;
    const other = { ...type, name: 'spinning' };
    await expect(service.result(other, job.jobId)).rejects.toEqual(rejected('job_not_found'));
    await expect(service.result(type, jobIdOf(2))).rejects.toEqual(rejected('job_not_found'));
    await expect(service.cancel(jobIdOf(2), world.request())).rejects.toEqual(
      rejected('job_not_found'),
    );
  });

  it('is kept by sweeps: the input, the result, and the last checkpoint until then', async () => {
    const world = await JobsWorld.open(type, 1_000);
    const job = await submitted(world, 1);
    await job.begin();
    await job.progress(20);
    await job.progress(30);
    await world.process.react();
    await world.blobs.sweep();
    expect(world.blobs.addresses).toHaveLength(2);
    expect(await world.process.service.checkpoint(type, job.jobId)).toEqual({ rows: 30 });
    await job.complete(40);
    await world.process.react();
    await world.blobs.sweep();
    expect(world.blobs.addresses).toHaveLength(2);
    expect(await world.process.service.result(type, job.jobId)).toEqual({ cloth: '40 rows' });
  });

  it('is forgotten after thirty days', async () => {
    const { world, job } = await completedJob();
    world.clock.nowMs += 30 * DAY_SECONDS * 1_000;
    await world.process.react();
    await world.blobs.sweep();
    expect(world.blobs.addresses).toEqual([]);
    const { service } = world.process;
    await expect(service.result(type, job.jobId)).rejects.toEqual(rejected('job_result_gone'));
    await expect(service.retry(job.jobId, world.request())).rejects.toEqual(
      rejected('job_result_gone'),
    );
    expect(await world.shown(job.jobId)).toMatchObject({
      status: 'completed',
      forgottenAt: world.now(),
    });
  });
});

describe('a repeated job', () => {
  it('has the same input and estimate, and is one job for each request', async () => {
    const { world, job } = await completedJob();
    const { service } = world.process;
    const request = world.request();
    const again = await service.retry(job.jobId, request);
    expect(await service.retry(job.jobId, request)).toBe(again);
    expect(again).not.toBe(job.jobId);
    expect(await world.money()).toMatchObject({ held: 500n });
    const first = world.eventsOf(job.jobId)[0]?.data;
    expect(world.eventsOf(again)[0]?.data).toMatchObject({
      ...first,
      jobId: again,
      retryOf: job.jobId,
      hold: expect.objectContaining({ purpose: 'weaving' }) as unknown,
    });
    expect(await world.shown(JobId.parse(again))).toMatchObject({ retryOf: job.jobId });
  });

  it('must have ended', async () => {
    const world = await JobsWorld.open(type, 1_000);
    const job = await submitted(world, 1);
    const again = world.process.service.retry(job.jobId, world.request());
    await expect(again).rejects.toEqual(rejected('job_not_ended'));
  });

  it('is of a type that allows it', async () => {
    const { world, job } = await completedJob({ ...type, repeats: 'never' });
    const again = world.process.service.retry(job.jobId, world.request());
    await expect(again).rejects.toEqual(rejected('job_not_repeatable'));
  });
});

describe('the retry policy of a type', () => {
  const ended = async (code: string) => {
    const world = await JobsWorld.open(type, 1_000);
    const job = await submitted(world, 1);
    await job.begin();
    await job.end('failed', code);
    return world.eventsOf(job.jobId).at(-1);
  };

  it('tries again after a failure that may pass, with a growing pause', async () => {
    expect(await ended('torn')).toMatchObject({
      type: 'JobAttemptEnded',
      data: {
        code: 'torn',
        endedAt: '2026-01-01T00:00:00.000Z',
        retryAt: '2026-01-01T00:00:01.000Z',
      },
    });
  });

  it('fails the job at once after a final failure', async () => {
    expect(await ended('no_yarn')).toMatchObject({ type: 'JobFailed', data: { code: 'no_yarn' } });
  });

  it('takes a code that the type does not know for a failure that may pass', async () => {
    expect(await ended('constructor')).toMatchObject({
      type: 'JobAttemptEnded',
      data: { code: 'failed' },
    });
  });
});

describe('a report', () => {
  it('of an attempt that is over stores nothing', async () => {
    const world = await JobsWorld.open(type, 1_000);
    const job = await submitted(world, 1);
    await job.begin();
    await job.end('lost');
    const before = world.blobs.addresses.length;
    await job.progress(50);
    world.clock.nowMs += 1_000;
    await job.begin({ attempt: 2, host: 'loom-2' });
    await job.progress(60);
    await job.complete(100);
    expect(world.blobs.addresses).toHaveLength(before);
    expect(world.story(job.jobId)).not.toContain('JobCompleted');
  });

  it('that does not fit the schemas of its type is rejected', async () => {
    const world = await JobsWorld.open(type, 1_000);
    const job = await submitted(world, 1);
    await job.begin();
    const report = (changes: object) =>
      world.process.execute(
        new ReportProgressCommand(
          {
            jobId: job.jobId,
            attempt: 1,
            host: HOST,
            sequence: 1,
            done: 1,
            total: null,
            shown: { rows: 1 },
            checkpoint: null,
            usage: [],
            progressedAt: world.now(),
            ...changes,
          },
          world.request(),
        ),
      );
    await expect(report({ shown: { rows: 'one' } })).rejects.toThrow('rows');
    const checkpoint = { kind: 'json', value: { knots: 1 } };
    await expect(report({ checkpoint })).rejects.toThrow('rows');
    const usage = [{ meter: 'knots', quantity: 1 }];
    await expect(report({ usage })).rejects.toThrow(ProductMismatchError);
    expect(world.log.of(jobStream(job.jobId))).toHaveLength(3);
    await report({});
    expect(world.story(job.jobId).at(-1)).toBe('JobProgressed');
  });
});
