import { describe, expect, it } from '@jest/globals';
import { JobId, JobSubmitted } from '#events/jobs/job.events.js';
import { type ListOptions } from '#platform/read-store/read-store.port.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { submitted } from '#platform/jobs/job.fixture.js';
import { JobAccess } from './job-access.js';
import { jobKey, type JobRecord, jobs } from '#projections/jobs/jobs.projection.js';
import { JobsQuery, JobsQueryHandler, LOOKED_THROUGH_MAX } from './job.queries.js';

const { accountId, submittedAt, type } = submitted.data;

const idOf = (index: number): string =>
  `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

const recordOf = (index: number): JobRecord => {
  const jobId = JobId.parse(idOf(index));
  const event = JobSubmitted.of({ ...submitted.data, jobId });
  const record = jobs.project(event, jobs.initial(''), '');
  if (!record) throw new Error('a submitted job has a record');
  return record;
};

/** Of an account with `count` jobs, the oldest first. */
const askerOf = (count: number) => {
  const records = Array.from({ length: count }, (_, index) => recordOf(index));
  const list = (_: unknown, { before = '~', limit = 0 }: ListOptions) =>
    Promise.resolve({
      position: 1n,
      documents: records
        .map((document) => ({ key: jobKey(document), document, position: 1n }))
        .filter(({ key }) => key < before)
        .toReversed()
        .slice(0, limit),
    });
  const stateOf = (jobId: string) =>
    Promise.resolve({ status: 'queued', order: { jobId, accountId, submittedAt } });
  const access = new JobAccess({ stateOf } as unknown as ConstructorParameters<
    typeof JobAccess
  >[0]);
  const projections = { list } as unknown as Pick<Projections, 'list'>;
  return new JobsQueryHandler(projections, access);
};

const ask = (
  handler: JobsQueryHandler,
  filter: Partial<JobsQuery['filter']>,
  after: string | null = null,
) => {
  const all = { type: null, status: null };
  return handler.execute(new JobsQuery(accountId, { ...all, ...filter }, { limit: 2, after }));
};

describe('a page of jobs', () => {
  it('is the last one when no job follows', async () => {
    const handler = askerOf(4);
    const first = await ask(handler, {});
    expect(first).toMatchObject({ jobs: [{ jobId: idOf(3) }, { jobId: idOf(2) }] });
    expect(first.nextAfter).toBe(idOf(2));
    const last = await ask(handler, {}, first.nextAfter);
    expect(last).toMatchObject({ jobs: [{ jobId: idOf(1) }, { jobId: idOf(0) }], nextAfter: null });
  });

  it('with a filter ends at its last job, or where no other passes', async () => {
    const handler = askerOf(4);
    const first = await ask(handler, { type });
    expect(first.nextAfter).toBe(idOf(2));
    expect(await ask(handler, { type }, first.nextAfter)).toMatchObject({ nextAfter: null });
    expect(await ask(handler, { status: 'failed' })).toEqual({ jobs: [], nextAfter: null });
  });

  it('has the jobs of some types, and of no other', async () => {
    const handler = askerOf(1);
    const found = await ask(handler, { type: ['other', type] });
    expect(found.jobs).toMatchObject([{ jobId: idOf(0) }]);
    expect((await ask(handler, { type: ['other', 'another'] })).jobs).toEqual([]);
  });

  it('with a filter looks through so many jobs, and the next page through the others', async () => {
    const handler = askerOf(LOOKED_THROUGH_MAX + 3);
    const first = await ask(handler, { status: 'failed' });
    expect(first).toEqual({ jobs: [], nextAfter: idOf(3) });
    const rest = await ask(handler, { status: 'failed' }, first.nextAfter);
    expect(rest).toEqual({ jobs: [], nextAfter: null });
  });
});
