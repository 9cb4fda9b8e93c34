import {
  WorkflowNodeEnded,
  WorkflowNodeStarted,
  WorkflowRunEnded,
  WorkflowRunFunded,
  WorkflowRunSettled,
  WorkflowRunStarted,
} from '#events/workflows/workflow-run.events.js';
import { type WorkflowNode } from '#events/workflows/workflow.vocabulary.js';

/** Facts of one run, for specs. */
export const RUN = '2f6c1b7a-0d7e-5c55-9a52-6d1a3f0b4c11';
export const AT = '2026-11-22T15:00:00.000Z';
export const LATER = '2026-11-22T15:00:10.000Z';
export const LATEST = '2026-11-22T15:01:00.000Z';
export const ofRun = { runId: RUN, accountId: '7', startedAt: AT };

const blob = (letter: string) => ({ address: letter.repeat(64), bytes: 10 });

export const node = (
  name: string,
  after: readonly string[] = [],
  more: Partial<WorkflowNode> = {},
): WorkflowNode => ({
  name,
  kind: 'chat',
  tool: 'chat',
  after: [...after],
  triggerRule: 'all_success',
  attemptsMax: 1,
  backOffMs: 1_000,
  backOffMsMax: 100_000,
  timeOutMs: null,
  ...more,
});

export const control = (kind: string, name: string, after: readonly string[] = []): WorkflowNode =>
  node(name, after, { kind, tool: null });

export const orderOf = (...nodes: readonly WorkflowNode[]): WorkflowRunStarted['data'] => ({
  ...ofRun,
  workflowId: 1,
  version: 1,
  plan: { nodes: [...nodes], concurrencyMax: 2, timeOutMs: 3_600_000 },
  definition: blob('a'),
  inputs: blob('b'),
  startedBy: 'user:7',
  runUntil: '2026-11-22T16:00:00.000Z',
});

export const started = (...nodes: readonly WorkflowNode[]) =>
  WorkflowRunStarted.of(orderOf(...nodes));

export const began = (
  name: string,
  more: Partial<WorkflowNodeStarted['data']> = {},
): WorkflowNodeStarted =>
  WorkflowNodeStarted.of({
    ...ofRun,
    node: name,
    attempt: 1,
    callId: RUN,
    items: null,
    expandedBytes: 0,
    until: null,
    beganAt: LATER,
    ...more,
  });

export const ended = (
  name: string,
  status: WorkflowNodeEnded['data']['status'] = 'succeeded',
  more: Partial<WorkflowNodeEnded['data']> = {},
): WorkflowNodeEnded =>
  WorkflowNodeEnded.of({
    ...ofRun,
    node: name,
    status,
    code: null,
    message: null,
    output: null,
    chosen: null,
    used: [],
    counters: {},
    endedAt: LATER,
    ...more,
  });

const WHY = {
  skipped: 'what comes before it was skipped, or a branch chose another way',
  upstream_failed: 'a node before it failed',
  cancelled: 'the run ended before it',
} as const;

export const unfinished = (name: string, status: keyof typeof WHY): WorkflowNodeEnded =>
  ended(name, status, { code: status, message: WHY[status] });

export const failed = (name: string, code: string, message: string): WorkflowNodeEnded =>
  ended(name, 'failed', { code, message });

export const over = (status: WorkflowRunEnded['data']['status']): WorkflowRunEnded =>
  WorkflowRunEnded.of({ ...ofRun, status, endedAt: LATER });

export const settled = WorkflowRunSettled.of({
  ...ofRun,
  outcome: 'charged',
  amountMicroUsd: '45',
  settledAt: LATEST,
});

export const funded = (
  name: string | null,
  quantity: number,
  expiresAt = '2026-11-22T16:00:00.000Z',
): WorkflowRunFunded =>
  WorkflowRunFunded.of({
    ...ofRun,
    node: name,
    lines: [{ meter: 'knots', quantity, unitPriceMicroUsd: '5', perUnits: 1 }],
    rateCardVersion: 1,
    expiresAt,
    fundedAt: AT,
  });
