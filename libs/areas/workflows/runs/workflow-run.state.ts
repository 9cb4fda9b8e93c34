import { type UsedUnits } from '#events/hold.vocabulary.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type DoubtedUsage, doubtsOf } from '#events/token-usage.vocabulary.js';
import {
  type NodeEnd,
  type RunEnd,
  type WorkflowRunEvent,
  type WorkflowRunFunded,
  type WorkflowRunStarted,
} from '#events/workflows/workflow-run.events.js';
import { type WorkflowBlob, type WorkflowNode } from '#events/workflows/workflow.vocabulary.js';

/** A node of a run, or an item of a map node. */
export interface RunNode extends DoubtedUsage {
  /** The node of the definition; of an item, the one of its map node. */
  readonly node: WorkflowNode;
  /** Of an item, its number from 0; null for a node of the definition. */
  readonly item: number | null;
  readonly status: 'pending' | 'running' | 'retrying' | NodeEnd;
  /** The last attempt that began, or that failed before it began; 0 for none. */
  readonly attempt: number;
  readonly beganAt: string | null;
  readonly until: string | null;
  readonly retryAt: string | null;
  /** Of a map node that has begun. */
  readonly items: number | null;
  /** Of all attempts, also of failed attempts. */
  readonly used: readonly UsedUnits[];
  readonly end: {
    readonly code: string | null;
    readonly message: string | null;
    readonly output: WorkflowBlob | null;
    readonly chosen: readonly string[] | null;
    readonly counters: Readonly<Record<string, number | null>>;
    readonly endedAt: string;
  } | null;
}

/** The hold that the run has ordered from the ledger. */
export interface RunHold {
  readonly lines: readonly PriceLine[];
  readonly rateCardVersion: number;
  readonly expiresAt: string;
  /** The last order; the ledger may not have got it before a crash. */
  readonly last: WorkflowRunFunded['data'];
  /** Without the last order; null where it is the first one. */
  readonly before: Omit<RunHold, 'before'> | null;
}

export interface StartedRun {
  readonly status: 'running' | RunEnd;
  readonly order: WorkflowRunStarted['data'];
  /** By path: the nodes of the definition in topological order, then items. */
  readonly nodes: ReadonlyMap<string, RunNode>;
  readonly hold: RunHold | null;
  /** The bytes of all expanded values of its nodes so far. */
  readonly expandedBytes: number;
  /** Processes in a row that took the run and neither left it nor ended an attempt of a node. */
  readonly taken: number;
  readonly endedAt: string | null;
  readonly settlement: {
    readonly outcome: 'charged' | 'free' | 'uncollected';
    readonly amountMicroUsd: string;
  } | null;
  readonly isForgotten: boolean;
}

export type RunState = { readonly status: 'absent' } | StartedRun;

export const initialState: RunState = { status: 'absent' };

export const itemPath = (map: string, item: number): string => `${map}/${item}`;

export const hasEnded = ({ end }: RunNode): boolean => end !== null;

const fresh = (node: WorkflowNode, item: number | null): RunNode => ({
  node,
  item,
  status: 'pending',
  attempt: 0,
  beganAt: null,
  until: null,
  retryAt: null,
  items: null,
  used: [],
  end: null,
});

const started = (order: WorkflowRunStarted['data']): StartedRun => ({
  status: 'running',
  order,
  nodes: new Map(order.plan.nodes.map((node) => [node.name, fresh(node, null)])),
  hold: null,
  expandedBytes: 0,
  taken: 0,
  endedAt: null,
  settlement: null,
  isForgotten: false,
});

const funded = (hold: RunHold | null, data: WorkflowRunFunded['data']): RunHold => {
  const { before: _, ...earlier } = hold ?? { before: null };
  const { rateCardVersion, expiresAt } = data;
  const lines = [...(hold?.lines ?? []), ...data.lines];
  const before = 'lines' in earlier ? earlier : null;
  return { lines, rateCardVersion, expiresAt, last: data, before };
};

/** The hold without an order that the ledger has rejected: its node did not begin. */
const withoutOrderOf = (hold: RunHold | null, node: string, began: string | null) => {
  if (hold?.last.node !== node || began !== null) return hold;
  return hold.before && { ...hold.before, before: null };
};

const changed = (
  run: StartedRun,
  path: string,
  change: (node: RunNode) => Partial<RunNode>,
): StartedRun => {
  const node = run.nodes.get(path);
  if (!node) return run;
  return { ...run, nodes: new Map(run.nodes).set(path, { ...node, ...change(node) }) };
};

type NodeWork = Pick<RunNode, 'used' | 'usageDoubts'>;

const workOf = (before: NodeWork, added: NodeWork): NodeWork => ({
  used: [...before.used, ...added.used],
  ...doubtsOf([before, added]),
});

/** An attempt of a node has ended: the process that has the run gets on with it. */
const goneOn = (run: StartedRun): StartedRun => ({ ...run, taken: Math.min(run.taken, 1) });

const withItems = (run: StartedRun, path: string, items: number | null): StartedRun => {
  const map = run.nodes.get(path);
  if (!map || items === null) return run;
  const nodes = new Map(run.nodes);
  for (let item = 0; item < items; item += 1) {
    nodes.set(itemPath(path, item), fresh(map.node, item));
  }
  return { ...run, nodes };
};

const evolveStarted = (run: StartedRun, { type, data }: WorkflowRunEvent): StartedRun => {
  switch (type) {
    case 'WorkflowRunStarted':
      return run;
    case 'WorkflowRunFunded':
      return { ...run, hold: funded(run.hold, data) };
    case 'WorkflowNodeStarted': {
      const { node, attempt, beganAt, until, items } = data;
      const begun = { status: 'running', attempt, beganAt, until, items, retryAt: null } as const;
      const expandedBytes = run.expandedBytes + data.expandedBytes;
      return withItems({ ...changed(run, node, () => begun), expandedBytes }, node, items);
    }
    case 'WorkflowAttemptFailed': {
      const { node, attempt, retryAt } = data;
      const failed = { status: 'retrying', attempt, retryAt, until: null } as const;
      return goneOn(changed(run, node, (one) => ({ ...failed, ...workOf(one, data) })));
    }
    case 'WorkflowNodeEnded': {
      const { node, status, code, message, output, chosen, counters, endedAt } = data;
      const end = { code, message, output, chosen, counters, endedAt };
      const began = run.nodes.get(node)?.beganAt ?? null;
      const ended = changed(run, node, (one) => {
        return { status, end, ...workOf(one, data), until: null, retryAt: null };
      });
      return goneOn({ ...ended, hold: withoutOrderOf(run.hold, node, began) });
    }
    case 'WorkflowCallAborted':
      return changed(run, data.node, (one) => workOf(one, data));
    case 'WorkflowRunTaken':
      return { ...run, taken: run.taken + 1 };
    case 'WorkflowRunLeft':
      return { ...run, taken: 0 };
    case 'WorkflowApprovalDecided':
      return run;
    case 'WorkflowRunEnded':
      return { ...run, status: data.status, endedAt: data.endedAt };
    case 'WorkflowRunSettled': {
      const { outcome, amountMicroUsd } = data;
      return { ...run, settlement: { outcome, amountMicroUsd } };
    }
    case 'WorkflowRunForgotten':
      return { ...run, isForgotten: true };
  }
};

export const evolve = (state: RunState, event: WorkflowRunEvent): RunState => {
  if (state.status !== 'absent') return evolveStarted(state, event);
  return event.type === 'WorkflowRunStarted' ? started(event.data) : state;
};
