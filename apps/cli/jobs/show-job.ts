import { JobHistoryQuery, type LoggedJobEvent } from '#areas/jobs/job-history.handler.js';
import { JobQuery } from '#areas/jobs/job.queries.js';
import { fromDecimal, inUsd } from '#platform/kernel/money.js';
import { jobs } from '#projections/jobs/jobs.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { openProgress } from '../progress.js';
import { type Quipu, withQuipu } from '../quipu.context.js';
import { fieldsOf, JOB_AREAS, progressText, textOf } from './job-fields.js';

export interface ShowJobOptions extends CommonOptions {
  readonly id: string;
  readonly watch?: boolean;
}

/** `--watch` draws a bar on a terminal, and prints one line for each event otherwise. */
export const showJob = (
  options: ShowJobOptions,
  invocation: Invocation,
): Promise<Outcome | undefined> => {
  const { id, watch = false, json = false } = options;
  const needs = { areas: JOB_AREAS, installation: 'exists', projections: [jobs] } as const;
  return withQuipu(invocation, needs, async (quipu) => {
    if (watch) await followJob(quipu, options, invocation);
    if (watch && json) return undefined;
    const job = await quipu.queries.execute(new JobQuery(id, 'admin'));
    return { json: fieldsOf(job), text: textOf(job) };
  });
};

/** Until the end of the job, or Ctrl-C. */
export const followJob = async (
  { queries }: Quipu,
  { id, json = false }: Omit<ShowJobOptions, 'watch'>,
  { stdout, stderr, signal }: Invocation,
): Promise<void> => {
  const history = await queries.execute(new JobHistoryQuery(id, 'admin', null));
  const hasBar = !json && stderr.isTTY === true;
  const bar = hasBar ? await openProgress(stderr, `Job ${id}`) : null;
  try {
    for await (const logged of history.follow(signal)) {
      const { event } = logged;
      if (!bar) stdout.write(`${json ? jsonOf(logged) : lineOf(logged)}\n`);
      if (bar && event.type === 'JobProgressed' && event.data.total !== null) {
        bar.update(BigInt(event.data.done), BigInt(event.data.total));
      }
    }
  } finally {
    bar?.stop();
  }
};

const jsonOf = ({ revision, recordedAt, event: { type, data } }: LoggedJobEvent): string =>
  JSON.stringify({ revision: revision.toString(), recorded_at: recordedAt, type, data });

const lineOf = ({ recordedAt, event }: LoggedJobEvent): string => {
  const detail = detailOf(event);
  return `${recordedAt} ${event.type}${detail === '' ? '' : ` ${detail}`}`;
};

const detailOf = ({ type, data }: LoggedJobEvent['event']): string => {
  switch (type) {
    case 'JobSubmitted':
      return data.type;
    case 'JobDispatched':
      return `attempt ${data.attempt} to ${data.host}`;
    case 'JobStarted':
      return `attempt ${data.attempt}`;
    case 'JobProgressed':
      return progressText(data.done, data.total);
    case 'JobAttemptEnded':
      return `${data.reason}: ${data.message}`;
    case 'JobFailed':
      return `${data.code}: ${data.message}`;
    case 'JobTimedOut':
      return data.limit;
    case 'JobPaused':
      return `until ${data.until}`;
    case 'JobSettled':
      return `${data.outcome} ${inUsd(fromDecimal(data.amountMicroUsd))}`;
    case 'JobRenewed':
    case 'JobResumed':
    case 'JobCancellationRequested':
    case 'JobCompleted':
    case 'JobCancelled':
    case 'JobForgotten':
      return '';
  }
};
