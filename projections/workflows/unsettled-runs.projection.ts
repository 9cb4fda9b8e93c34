import {
  WorkflowRunForgotten,
  WorkflowRunSettled,
  WorkflowRunStarted,
} from '#events/workflows/workflow-run.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface UnsettledRun {
  readonly runId: string;
  readonly accountId: string;
  /** Null for a run that is open, or is not charged yet. */
  readonly settledAt: string | null;
}

type Event = WorkflowRunStarted | WorkflowRunSettled | WorkflowRunForgotten;

/** Runs that go on. */
export const openRunsPrefix = (accountId = ''): string =>
  accountId === '' ? 'open/' : `open/${accountId}/`;

/** Runs that have ended, and whose inputs and outputs are kept. */
export const KEPT_RUNS_PREFIX = 'kept/';

const openKey = ({ accountId, runId }: Event['data']): string =>
  `${openRunsPrefix(accountId)}${runId}`;
const keptKey = ({ runId }: Event['data']): string => `${KEPT_RUNS_PREFIX}${runId}`;

/** Which runs have work to do: nodes, a charge, or content to release? */
export const unsettledWorkflowRuns: Projection<Event, UnsettledRun> = {
  name: 'workflow-runs-unsettled',
  version: 2,
  on: { WorkflowRunStarted, WorkflowRunSettled, WorkflowRunForgotten },
  keys: ({ type, data }) => {
    switch (type) {
      case 'WorkflowRunStarted':
        return [openKey(data)];
      case 'WorkflowRunSettled':
        return [openKey(data), keptKey(data)];
      case 'WorkflowRunForgotten':
        return [keptKey(data)];
    }
  },
  initial: () => ({ runId: '', accountId: '', settledAt: null }),
  project: ({ type, data }, _document, key) => {
    const { runId, accountId } = data;
    switch (type) {
      case 'WorkflowRunStarted':
        return { runId, accountId, settledAt: null };
      case 'WorkflowRunSettled':
        return key === keptKey(data) ? { runId, accountId, settledAt: data.settledAt } : null;
      case 'WorkflowRunForgotten':
        return null;
    }
  },
};
