import {
  type RunEnd,
  WorkflowRunEnded,
  WorkflowRunSettled,
  WorkflowRunStarted,
} from '#events/workflows/workflow-run.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** Instants as ISO 8601, money as decimal micro-dollars. */
export interface ListedRun {
  readonly runId: string;
  readonly workflowId: number;
  readonly version: number;
  readonly status: 'running' | RunEnd;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Null until it is settled. */
  readonly amountMicroUsd: string | null;
}

type Event = WorkflowRunStarted | WorkflowRunEnded | WorkflowRunSettled;

export const runsPrefix = (accountId: string): string => `${accountId}/`;

/** The runs of an account order by the instant of their start. */
export const runKey = ({
  accountId,
  startedAt,
  runId,
}: {
  readonly accountId: string;
  readonly startedAt: string;
  readonly runId: string;
}): string => `${runsPrefix(accountId)}${startedAt}/${runId}`;

const ABSENT: ListedRun = {
  runId: '',
  workflowId: 0,
  version: 0,
  status: 'running',
  startedAt: '',
  endedAt: null,
  amountMicroUsd: null,
};

/** Which runs has an account started, and how did they end? */
export const workflowRuns: Projection<Event, ListedRun> = {
  name: 'workflow-runs',
  version: 1,
  on: { WorkflowRunStarted, WorkflowRunEnded, WorkflowRunSettled },
  keys: ({ data }) => [runKey(data)],
  initial: () => ABSENT,
  project: ({ type, data }, run) => {
    switch (type) {
      case 'WorkflowRunStarted': {
        const { runId, workflowId, version, startedAt } = data;
        return { ...ABSENT, runId, workflowId, version, startedAt };
      }
      case 'WorkflowRunEnded':
        return { ...run, status: data.status, endedAt: data.endedAt };
      case 'WorkflowRunSettled':
        return { ...run, amountMicroUsd: data.amountMicroUsd };
    }
  },
};
