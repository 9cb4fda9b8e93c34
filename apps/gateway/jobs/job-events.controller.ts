import { JobHistoryQuery } from '#areas/jobs/job-history.handler.js';
import { type JobErrorCode } from '#areas/jobs/jobs.errors.js';
import { followController } from '../sse/follow.controller.js';
import { presentJobEvent } from './job-events.presenter.js';

export const JobEventsController = followController({
  area: 'jobs',
  path: 'api/v1/jobs/:id/events',
  noun: 'job',
  name: 'JobsController',
  endsAfter: 'the last one',
  example:
    'id: 3\nevent: progressed\ndata: {"job_id":"0198…","recorded_at":"2026-11-21T04:48:00.000Z",' +
    '"attempt":1,"done":120,"total":2000,"details":{},"usage":[]}\n\n',
  failures: ['job_not_found', 'job_event_unknown'] satisfies readonly JobErrorCode[],
  tooMany: 'too_many_job_streams' satisfies JobErrorCode,
  history: (id, reader, after) => new JobHistoryQuery(id, reader, after),
  present: presentJobEvent,
});
