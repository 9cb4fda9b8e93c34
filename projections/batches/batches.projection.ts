import {
  BatchCancellationRequested,
  type BatchCounts,
  BatchCreated,
  BatchEnded,
  type BatchFault,
  BatchFinalizing,
  BatchStarted,
  type BatchUsage,
  BatchWindowClosed,
} from '#events/batches/batch.events.js';
import { BATCH_JOB, BatchProgress } from '#events/batches/batch.job.js';
import { JobProgressed } from '#events/jobs/job.events.js';
import { type UsageDoubt } from '#events/token-usage.vocabulary.js';
import { type Projection } from '#platform/kernel/projection.js';

type Event =
  | BatchCreated
  | BatchStarted
  | BatchCancellationRequested
  | BatchWindowClosed
  | BatchFinalizing
  | BatchEnded
  | JobProgressed;

/** A batch as its account sees it. */
export interface BatchDocument {
  /** Null until it was created. */
  readonly created: BatchCreated['data'] | null;
  readonly startedAt: string | null;
  readonly cancellationRequestedAt: string | null;
  readonly finalizingAt: string | null;
  readonly counts: BatchCounts;
  readonly end: BatchEnd | null;
}

export interface BatchEnd {
  readonly outcome: BatchEnded['data']['outcome'];
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
  readonly usage: readonly BatchUsage[];
  readonly usageDoubts?: readonly UsageDoubt[];
  readonly faults: readonly BatchFault[];
  readonly endedAt: string;
}

const project = ({ type, data }: Event, document: BatchDocument): BatchDocument | null => {
  if (type === 'BatchCreated') {
    return { ...document, created: data, counts: { ...document.counts, total: data.lines } };
  }
  if (document.created === null) return null;
  switch (type) {
    case 'BatchStarted':
      return { ...document, startedAt: data.startedAt };
    case 'BatchCancellationRequested':
      return { ...document, cancellationRequestedAt: data.requestedAt };
    case 'BatchWindowClosed':
      return document;
    case 'BatchFinalizing':
      return { ...document, finalizingAt: data.finalizingAt };
    case 'JobProgressed': {
      const { usageDoubts: _, ...counts } = BatchProgress.parse(data.progress);
      return { ...document, counts };
    }
    case 'BatchEnded': {
      const { batchId: _, accountId: __, counts, ...end } = data;
      return { ...document, counts, end };
    }
  }
};

const keys = ({ data }: Event): readonly string[] => {
  if ('batchId' in data) return [data.batchId];
  return data.type === BATCH_JOB ? [data.jobId] : [];
};

/** How far is a batch, and where are its files? */
export const batches: Projection<Event, BatchDocument> = {
  name: 'batches',
  version: 1,
  on: {
    BatchCreated,
    BatchStarted,
    BatchCancellationRequested,
    BatchWindowClosed,
    BatchFinalizing,
    BatchEnded,
    JobProgressed,
  },
  keys,
  initial: () => ({
    created: null,
    startedAt: null,
    cancellationRequestedAt: null,
    finalizingAt: null,
    counts: { total: 0, completed: 0, failed: 0 },
    end: null,
  }),
  project,
};
