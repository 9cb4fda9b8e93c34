import { type UsedUnits } from '#events/hold.vocabulary.js';
import {
  WorkflowApprovalDecided,
  WorkflowAttemptFailed,
  WorkflowCallAborted,
  WorkflowNodeEnded,
  WorkflowNodeStarted,
  WorkflowRunEnded,
  type WorkflowRunEvent,
  WorkflowRunForgotten,
  WorkflowRunFunded,
  WorkflowRunLeft,
  WorkflowRunSettled,
  WorkflowRunStarted,
  WorkflowRunTaken,
} from '#events/workflows/workflow-run.events.js';
import { type DoubtedUsage, doubtsOf } from '#events/token-usage.vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { backOffMs } from '#platform/kernel/back-off.js';
import { instantOf, timeOf } from '#platform/jobs/job.state.js';
import { reject } from '../workflows.errors.js';
import { leavesOf, verdictOn } from './run-graph.js';
import {
  evolve,
  hasEnded,
  initialState,
  type RunNode,
  type RunState,
  type StartedRun,
} from './workflow-run.state.js';

type OfRun = { readonly runId: string };
/** The fields of an event that a command states; the decider adds the facts of the run. */
type Stated<Event extends { readonly data: OfRun }> = Omit<
  Event['data'],
  'accountId' | 'startedAt'
>;

/** An attempt that ended without a result. */
export interface FailedNodeAttempt extends OfRun, DoubtedUsage {
  readonly node: string;
  readonly attempt: number;
  readonly code: string;
  readonly message: string;
  readonly isRetryable: boolean;
  /** Its usage; empty for an attempt that did not begin. */
  readonly used: readonly UsedUnits[];
  readonly failedAt: string;
}

/** The result of a node, of the attempt that is current. */
export type NodeResult = Omit<Stated<WorkflowNodeEnded>, 'status' | 'code' | 'message'> & {
  readonly attempt: number;
};

export type WorkflowRunCommand =
  | {
      readonly type: 'StartRun';
      readonly data: WorkflowRunStarted['data'];
      /** The hold that was placed; null where the estimate is free. */
      readonly funding: Stated<WorkflowRunFunded> | null;
    }
  | { readonly type: 'FundRun'; readonly data: Stated<WorkflowRunFunded> }
  | { readonly type: 'StartNode'; readonly data: Stated<WorkflowNodeStarted> }
  | { readonly type: 'CompleteNode'; readonly data: NodeResult }
  | { readonly type: 'FailNode'; readonly data: FailedNodeAttempt }
  | { readonly type: 'TakeRun'; readonly data: Stated<WorkflowRunTaken> }
  | { readonly type: 'LeaveRun'; readonly data: Stated<WorkflowRunLeft> }
  /** The end of the run has aborted the call. */
  | { readonly type: 'RecordAborted'; readonly data: Stated<WorkflowCallAborted> }
  | { readonly type: 'DecideApproval'; readonly data: Stated<WorkflowApprovalDecided> }
  | {
      readonly type: 'StopRun';
      readonly data: OfRun & { readonly status: 'cancelled' | 'timed_out'; readonly at: string };
    }
  | { readonly type: 'SettleRun'; readonly data: Stated<WorkflowRunSettled> }
  | { readonly type: 'ForgetRun'; readonly data: Stated<WorkflowRunForgotten> };

const noResult = (): Pick<
  WorkflowNodeEnded['data'],
  'output' | 'chosen' | 'used' | 'counters'
> => ({ output: null, chosen: null, used: [], counters: {} });

/** Facts that every event of the run states. */
const factsOf = ({ order: { runId, accountId, startedAt } }: StartedRun) => ({
  runId,
  accountId,
  startedAt,
});

type Unfinished = 'skipped' | 'upstream_failed' | 'cancelled';

const unfinished = (
  run: StartedRun,
  node: string,
  status: Unfinished,
  endedAt: string,
  message = WHY[status],
) =>
  WorkflowNodeEnded.of({
    ...factsOf(run),
    ...noResult(),
    node,
    status,
    code: status,
    message,
    endedAt,
  });

/** Processes that end while they work on a run, before no other one takes it. */
export const DEATHS_MAX = 2;
/** Nodes of a run with the items of its maps. */
export const RUN_NODES_MAX = 2_000;

const WHY: Readonly<Record<Unfinished, string>> = {
  skipped: 'what comes before it was skipped, or a branch chose another way',
  upstream_failed: 'a node before it failed',
  cancelled: 'the run ended before it',
};

/**
 * The consequences of events: nodes whose trigger rule cannot be met any more end, and the run ends
 * with its last node. So no state is in the log in which only a decision is due.
 */
const withConsequences = (
  run: StartedRun,
  events: readonly WorkflowRunEvent[],
  at: string,
): readonly WorkflowRunEvent[] => {
  const all = [...events];
  let state: RunState = events.reduce<RunState>(evolve, run);
  for (;;) {
    if (state.status === 'absent') return all;
    const next = consequenceOf(state, at);
    if (!next) return all;
    all.push(next);
    state = evolve(state, next);
  }
};

const consequenceOf = (run: StartedRun, at: string): WorkflowRunEvent | undefined => {
  if (run.status !== 'running') return undefined;
  for (const [path, one] of run.nodes) {
    if (one.status !== 'pending') continue;
    const verdict = verdictOn(run, one);
    if (verdict === 'skipped' || verdict === 'upstream_failed') {
      return unfinished(run, path, verdict, at);
    }
  }
  if (![...run.nodes.values()].every(hasEnded)) return undefined;
  const failed = leavesOf(run).some(({ status }) => FAILED.includes(status));
  const status = failed ? 'failed' : 'completed';
  return WorkflowRunEnded.of({ ...factsOf(run), status, endedAt: at });
};

const FAILED: readonly RunNode['status'][] = ['failed', 'upstream_failed'];

const startNode = (
  run: StartedRun,
  data: Stated<WorkflowNodeStarted>,
): readonly WorkflowRunEvent[] => {
  const node = run.nodes.get(data.node);
  const isDue = node?.status === 'pending' || node?.status === 'retrying';
  if (!isDue || data.attempt !== node.attempt + 1) return [];
  if (verdictOn(run, node) !== 'run') return [];
  if (data.items !== null && run.nodes.size + data.items > RUN_NODES_MAX) {
    const code = 'too_many_items';
    const message = `a run has at most ${RUN_NODES_MAX} nodes and items`;
    const { node: path, attempt, beganAt: failedAt } = data;
    const failure = { code, message, isRetryable: false, used: [], failedAt };
    return failNode(run, { runId: data.runId, node: path, attempt, ...failure });
  }
  return [WorkflowNodeStarted.of({ ...factsOf(run), ...data })];
};

const completeNode = (
  run: StartedRun,
  { attempt, ...data }: NodeResult,
): readonly WorkflowRunEvent[] => {
  const node = run.nodes.get(data.node);
  if (node?.status !== 'running' || node.attempt !== attempt) return [];
  const end = { status: 'succeeded', code: null, message: null } as const;
  const ended = WorkflowNodeEnded.of({ ...factsOf(run), ...data, ...end });
  return withConsequences(run, [ended], data.endedAt);
};

/** An attempt has the number of its start; one that could not begin has the next number. */
const failNode = (run: StartedRun, failed: FailedNodeAttempt): readonly WorkflowRunEvent[] => {
  const { node: path, attempt, code, message, isRetryable, failedAt } = failed;
  const work = { used: [...failed.used], ...doubtsOf([failed]) };
  const one = run.nodes.get(path);
  if (!one || hasEnded(one)) return [];
  if (attempt !== (one.status === 'running' ? one.attempt : one.attempt + 1)) return [];
  const { attemptsMax, backOffMs: firstMs, backOffMsMax: maxMs } = one.node;
  const facts = { ...factsOf(run), node: path };
  if (isRetryable && attempt < attemptsMax) {
    const pauseMs = backOffMs({ firstMs, maxMs }, attempt);
    const retryAt = instantOf(timeOf(failedAt) + pauseMs);
    return [
      WorkflowAttemptFailed.of({ ...facts, attempt, code, message, ...work, failedAt, retryAt }),
    ];
  }
  const result = { ...noResult(), status: 'failed', code, message, ...work } as const;
  const ended = WorkflowNodeEnded.of({ ...facts, ...result, endedAt: failedAt });
  return withConsequences(run, [ended], failedAt);
};

const decideApproval = (
  run: StartedRun,
  data: Stated<WorkflowApprovalDecided>,
): readonly WorkflowRunEvent[] => {
  const { node: path, isApproved, decidedBy, decidedAt: endedAt } = data;
  const one = run.nodes.get(path);
  if (one?.node.kind !== 'approval' || one.status === 'pending') {
    return reject('workflow_approval_not_found', `no approval ${path} waits for a decision`);
  }
  if (hasEnded(one)) {
    return reject('workflow_approval_decided', `the approval ${path} has ended: ${one.status}`);
  }
  const end: Pick<WorkflowNodeEnded['data'], 'status' | 'code' | 'message'> = isApproved
    ? { status: 'succeeded', code: null, message: null }
    : { status: 'failed', code: 'rejected', message: `rejected by ${decidedBy}` };
  const ended = WorkflowNodeEnded.of({
    ...factsOf(run),
    ...noResult(),
    ...end,
    node: path,
    endedAt,
  });
  const decided = WorkflowApprovalDecided.of({ ...factsOf(run), ...data });
  return withConsequences(run, [decided, ended], endedAt);
};

const PARKED = `${DEATHS_MAX} processes ended while they worked on the run: no other one takes it`;

/**
 * The first take of a process. A process that died has neither left the run nor got on with it:
 * the same step may kill the next one as well.
 */
const takeRun = (run: StartedRun, takenAt: string): readonly WorkflowRunEvent[] =>
  run.taken < DEATHS_MAX
    ? [WorkflowRunTaken.of({ ...factsOf(run), takenAt })]
    : stopRun(run, 'parked', takenAt, PARKED);

/** Calls that are under way are aborted: their results are not used any more. */
const stopRun = (
  run: StartedRun,
  status: 'cancelled' | 'timed_out' | 'parked',
  at: string,
  message?: string,
): readonly WorkflowRunEvent[] => {
  const open = [...run.nodes].filter(([, node]) => !hasEnded(node));
  const ended = open.map(([path]) => unfinished(run, path, 'cancelled', at, message));
  return [...ended, WorkflowRunEnded.of({ ...factsOf(run), status, endedAt: at })];
};

const decideRunning = (
  command: Exclude<
    WorkflowRunCommand,
    { type: 'StartRun' | 'SettleRun' | 'ForgetRun' | 'RecordAborted' }
  >,
  run: StartedRun,
): readonly WorkflowRunEvent[] => {
  const { type, data } = command;
  switch (type) {
    case 'FundRun':
      return [WorkflowRunFunded.of({ ...factsOf(run), ...data })];
    case 'StartNode':
      return startNode(run, data);
    case 'CompleteNode':
      return completeNode(run, data);
    case 'FailNode':
      return failNode(run, data);
    case 'TakeRun':
      return takeRun(run, data.takenAt);
    case 'LeaveRun':
      return run.taken > 0 ? [WorkflowRunLeft.of({ ...factsOf(run), ...data })] : [];
    case 'DecideApproval':
      return decideApproval(run, data);
    case 'StopRun':
      return stopRun(run, data.status, data.at);
  }
};

const start = ({ data, funding }: Extract<WorkflowRunCommand, { type: 'StartRun' }>) => {
  const { runId, accountId, startedAt } = data;
  const facts = { runId, accountId, startedAt };
  const funded = funding && WorkflowRunFunded.of({ ...facts, ...funding });
  return [WorkflowRunStarted.of(data), ...(funded ? [funded] : [])];
};

/** One run: which nodes may begin, how each node ends, and the consequences for other nodes. */
export const workflowRunDecider: Decider<WorkflowRunCommand, RunState, WorkflowRunEvent> = {
  initialState,
  decide: (command, run) => {
    if (command.type === 'StartRun') return run.status === 'absent' ? start(command) : [];
    const { type, data } = command;
    if (run.status === 'absent') {
      return reject('workflow_run_not_found', `there is no run ${data.runId}`);
    }
    if (type === 'RecordAborted') {
      if (run.status === 'running' || run.settlement) return [];
      return [WorkflowCallAborted.of({ ...factsOf(run), ...data })];
    }
    if (type === 'SettleRun') {
      if (run.status === 'running' || run.settlement) return [];
      return [WorkflowRunSettled.of({ ...factsOf(run), ...data })];
    }
    if (type === 'ForgetRun') {
      if (!run.settlement || run.isForgotten) return [];
      return [WorkflowRunForgotten.of({ ...factsOf(run), ...data })];
    }
    if (run.status !== 'running') {
      if (type !== 'DecideApproval') return [];
      return reject('workflow_run_ended', `the run ${data.runId} has ended: ${run.status}`);
    }
    return decideRunning(command, run);
  },
  evolve,
};
