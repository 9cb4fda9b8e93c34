import { type WorkflowRunEvent } from '#events/workflows/workflow-run.events.js';
import { type ShownWorkflow } from '#areas/workflows/definition/workflow.queries.js';
import { type Workflow } from '#areas/workflows/definition/workflows.decider.js';
import { type LoggedRunEvent } from '#areas/workflows/runs/run-history.handler.js';
import { type RunsPage, type ShownNode, type ShownRun } from '#areas/workflows/runs/run.queries.js';
import { namedEvent } from '../sse/sse.js';
import {
  type NodeResultDto,
  type RunListDto,
  type WorkflowDetailsDto,
  type WorkflowDto,
  type WorkflowRunDto,
} from './workflows.dto.js';

export const presentWorkflow = ({
  workflowId,
  name,
  createdAt,
  versions,
}: Workflow): Omit<WorkflowDto, never> => ({
  workflow_id: workflowId,
  name,
  version: versions.length,
  created_at: createdAt,
  versioned_at: versions.at(-1)?.versionedAt ?? createdAt,
});

export const presentDetails = ({
  workflow,
  version,
  document,
}: ShownWorkflow): WorkflowDetailsDto => ({
  success: true,
  ...presentWorkflow(workflow),
  version: version.version,
  versioned_at: version.versionedAt,
  definition: document,
  order: version.plan.nodes.map(({ name }) => name),
});

const presentNode = ({ node: one, elapsedMs, output, items }: ShownNode): NodeResultDto => {
  const { node, status, attempt, end, usageDoubts = [] } = one;
  return {
    ...end?.counters,
    ...(items && { items }),
    status,
    kind: node.kind,
    attempts: attempt,
    elapsed_ms: elapsedMs,
    code: end?.code ?? null,
    message: end?.message ?? null,
    usage_doubts: usageDoubts,
    output,
  };
};

/** @param nowMs for the elapsed time of an open run, in milliseconds since the Unix epoch */
export const presentRun = (
  { run, nodes, criticalPath }: ShownRun,
  nowMs: number,
): WorkflowRunDto => {
  const { runId, workflowId, version, startedAt } = run.order;
  const untilMs = run.endedAt === null ? nowMs : Date.parse(run.endedAt);
  return {
    success: run.status === 'running' || run.status === 'completed',
    run_id: runId,
    workflow_id: workflowId,
    version,
    status: run.status,
    elapsed_ms: Math.max(0, untilMs - Date.parse(startedAt)),
    node_results: Object.fromEntries(nodes.map((node) => [node.path, presentNode(node)])),
    critical_path: criticalPath.nodes,
    critical_path_ms: criticalPath.length,
    amount_micro_usd: run.settlement?.amountMicroUsd ?? null,
    started_at: startedAt,
    ended_at: run.endedAt,
  };
};

export const presentRuns = ({ runs, nextAfter }: RunsPage): RunListDto => ({
  success: true,
  runs: runs.map((run) => ({
    run_id: run.runId,
    workflow_id: run.workflowId,
    version: run.version,
    status: run.status,
    amount_micro_usd: run.amountMicroUsd,
    started_at: run.startedAt,
    ended_at: run.endedAt,
  })),
  next_after: nextAfter,
});

/** The name of the event on the stream, and what it states: no blob and no term of the hold. */
const shown = ({ type, data }: WorkflowRunEvent): readonly [string, object] => {
  switch (type) {
    case 'WorkflowRunStarted': {
      const { workflowId, version, runUntil } = data;
      return ['run_started', { workflow_id: workflowId, version, run_until: runUntil }];
    }
    case 'WorkflowRunFunded':
      return ['run_funded', { node: data.node, hold_expires_at: data.expiresAt }];
    case 'WorkflowNodeStarted': {
      const { node, attempt, items, until } = data;
      return ['node_started', { node, attempt, items, until }];
    }
    case 'WorkflowAttemptFailed': {
      const { node, attempt, code, message, used, retryAt } = data;
      return ['attempt_failed', { node, attempt, code, message, used, retry_at: retryAt }];
    }
    case 'WorkflowNodeEnded': {
      const { node, status, code, message, chosen, used, counters, usageDoubts = [] } = data;
      const work = { used, usage_doubts: usageDoubts, counters };
      return ['node_ended', { node, status, code, message, chosen, ...work }];
    }
    case 'WorkflowCallAborted':
      return ['call_aborted', { node: data.node, attempt: data.attempt, used: data.used }];
    case 'WorkflowRunTaken':
      return ['run_taken', {}];
    case 'WorkflowRunLeft':
      return ['run_left', {}];
    case 'WorkflowApprovalDecided': {
      const { node, isApproved: approved, decidedBy } = data;
      return ['approval_decided', { node, approved, decided_by: decidedBy }];
    }
    case 'WorkflowRunEnded':
      return ['run_ended', { status: data.status }];
    case 'WorkflowRunSettled':
      return ['run_settled', { outcome: data.outcome, amount_micro_usd: data.amountMicroUsd }];
    case 'WorkflowRunForgotten':
      return ['run_forgotten', {}];
  }
};

/** A server-sent event, whose id is the revision. */
export const presentRunEvent = ({ revision, recordedAt, event }: LoggedRunEvent): string => {
  const [name, facts] = shown(event);
  const run = { run_id: event.data.runId, recorded_at: recordedAt };
  return namedEvent(name, String(revision), { ...run, ...facts });
};
