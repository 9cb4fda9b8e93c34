import { describe, expect, it } from '@jest/globals';
import { type JobEvent } from '#events/jobs/job.events.js';
import {
  attemptEnded,
  cancellationRequested,
  cancelled,
  completed,
  dispatched,
  failed,
  forgotten,
  JOB,
  paused,
  progressed,
  renewed,
  resumed,
  settled,
  started,
  submitted,
  timedOut,
} from '#platform/jobs/job.fixture.js';
import { presentJobEvent } from './job-events.presenter.js';

const RECORDED_AT = '2026-11-21T04:48:00.000Z';

const events: readonly (readonly [string, JobEvent, readonly string[]])[] = [
  [
    'submitted',
    submitted,
    ['type', 'summary', 'after', 'parent_id', 'retry_of', 'attempts_max', 'start_before'],
  ],
  ['dispatched', dispatched(), ['attempt', 'start_by']],
  ['started', started(), ['attempt', 'run_until']],
  ['progressed', progressed(1, 10), ['attempt', 'done', 'total', 'details', 'usage']],
  [
    'attempt_ended',
    attemptEnded('lost'),
    ['attempt', 'reason', 'code', 'message', 'retry_at', 'start_before'],
  ],
  ['renewed', renewed(150), ['hold_expires_at']],
  ['paused', paused(), ['reason', 'paused_until']],
  ['resumed', resumed(), ['start_before']],
  ['cancellation_requested', cancellationRequested(), ['stop_by']],
  ['completed', completed(90), ['attempt', 'result', 'usage']],
  ['failed', failed('torn'), ['code', 'message', 'usage']],
  ['cancelled', cancelled(15), ['usage']],
  ['timed_out', timedOut('queue', 3_600), ['limit', 'usage']],
  ['settled', settled(450), ['outcome', 'amount_micro_usd']],
  ['forgotten', forgotten, []],
];

describe('an event of a job as a server-sent event', () => {
  it.each(events)('is %s, with the facts for its owner', (name, event, fields) => {
    const text = presentJobEvent({ revision: 7n, recordedAt: RECORDED_AT, event });
    const [id, title, data = ''] = text.split('\n');
    expect([id, title]).toEqual(['id: 7', `event: ${name}`]);
    expect(text).toMatch(/[^\n]\n\n$/);
    const stated = JSON.parse(data.slice('data: '.length)) as Readonly<Record<string, unknown>>;
    expect(Object.keys(stated)).toEqual(['job_id', 'recorded_at', ...fields]);
    expect(stated).toMatchObject({ job_id: JOB, recorded_at: RECORDED_AT });
    expect(Object.values(stated)).not.toContain(undefined);
  });
});
