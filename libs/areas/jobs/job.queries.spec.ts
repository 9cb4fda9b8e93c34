import { describe, expect, it } from '@jest/globals';
import { JobId, JobSubmitted } from '#events/jobs/job.events.js';
import { type ListOptions } from '#platform/read-store/read-store.port.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { submitted } from '#platform/jobs/job.fixture.js';
import { JobAccess } from './job-access.js';
import { type JobRecord, type jobs } from '#projections/jobs/jobs.projection.js';
import { JobsQuery, JobsQueryHandler, LOOKED_THROUGH_MAX } from './job.queries.js';

const { accountId, type } = submitted.data;

const OTHER_TYPE = 'other';

const idOf = (index: number): string =>
  `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

const eventOf = (index: number, changes: Partial<JobSubmitted['data']>): JobSubmitted =>
  JobSubmitted.of({ ...submitted.data, jobId: JobId.parse(idOf(index)), ...changes });

/** Of an account with `count` jobs of one type, the oldest first, behind a job of another. */
const askerOf = (count: number) => {
  const events = Array.from({ length: count }, (_, index) => eventOf(index, {}));
  const other = eventOf(count, { type: OTHER_TYPE, submittedAt: '2026-01-01T00:00:00.000Z' });
  const all = [other, ...events];
  const list = (
    projection: typeof jobs,
    { prefix = '', before = '~', limit = 0 }: ListOptions,
  ): Promise<object> => {
    const documents = all
      .flatMap((event) =>
        projection.keys(event).map((key) => ({
          key,
          document: projection.project(event, projection.initial(key), key) as JobRecord,
          position: 1n,
        })),
      )
      .filter(({ key }) => key.startsWith(prefix) && key < before)
      .sort((one, another) => (one.key < another.key ? 1 : -1));
    return Promise.resolve({ position: 1n, documents: documents.slice(0, limit) });
  };
  const stateOf = (jobId: string) => {
    const data = all.find((event) => event.data.jobId === jobId)?.data;
    return Promise.resolve({ status: 'queued', order: data });
  };
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
    expect(last).toMatchObject({ jobs: [{ jobId: idOf(1) }, { jobId: idOf(0) }] });
    expect(last.nextAfter).toBe(idOf(0));
    expect(await ask(handler, {}, last.nextAfter)).toMatchObject({
      jobs: [{ jobId: idOf(4), type: OTHER_TYPE }],
      nextAfter: null,
    });
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
    const found = await ask(handler, { type: [OTHER_TYPE, type] });
    expect(found.jobs).toMatchObject([{ jobId: idOf(0) }, { jobId: idOf(1) }]);
    expect((await ask(handler, { type: ['another', 'no-other'] })).jobs).toEqual([]);
  });

  it('has a rare type at once, behind more jobs of others than a page looks through', async () => {
    const handler = askerOf(LOOKED_THROUGH_MAX + 3);
    const found = await ask(handler, { type: OTHER_TYPE });
    expect(found).toMatchObject({ jobs: [{ type: OTHER_TYPE }], nextAfter: null });
  });

  it('of a state looks through so many jobs, and the next page through the others', async () => {
    const handler = askerOf(LOOKED_THROUGH_MAX + 3);
    const first = await ask(handler, { type, status: 'failed' });
    expect(first).toEqual({ jobs: [], nextAfter: idOf(3) });
    const rest = await ask(handler, { type, status: 'failed' }, first.nextAfter);
    expect(rest).toEqual({ jobs: [], nextAfter: null });
  });
});
