import { itemsOf, verdictOn } from './run-graph.js';
import { hasEnded, type RunNode, type StartedRun } from './workflow-run.state.js';

/** How long inputs and outputs are kept after the end of a run. */
export const KEPT_MS = 30 * 24 * 60 * 60_000;

/** How long a hold lasts without a renewal, and how long before its end it is renewed. */
export const HOLD_MS = 60 * 60_000;
export const RENEW_BEFORE_MS = 30 * 60_000;

/** A step that is due now for a run. */
export type RunStep =
  /** Begin a node, or continue a call that an earlier process has begun. */
  | { readonly do: 'call'; readonly path: string; readonly node: RunNode }
  /** Begin or finish a node that calls no tool. */
  | { readonly do: 'control'; readonly path: string; readonly node: RunNode }
  | { readonly do: 'time-out' }
  | { readonly do: 'renew' }
  | { readonly do: 'settle' }
  | { readonly do: 'forget' };

export interface RunPlan {
  readonly steps: readonly RunStep[];
  /** When to look again, in milliseconds since the Unix epoch; null: nothing is to come. */
  readonly dueAtMs: number | null;
}

const CONTROLS: readonly string[] = ['branch', 'map', 'wait', 'approval'];

const isControl = ({ node, item }: RunNode): boolean =>
  item === null && CONTROLS.includes(node.kind);

const timeOf = (instant: string): number => Date.parse(instant);

/**
 * The steps that are due, given the state of the run and the time: the reaction of the process
 * manager. It is the same after a crash, as the state is the fold of the log.
 * @param calling paths of calls that this process has begun
 */
export const planOf = (run: StartedRun, nowMs: number, calling: ReadonlySet<string>): RunPlan => {
  if (run.status !== 'running') return planOfEnded(run, nowMs);
  const runUntil = timeOf(run.order.runUntil);
  if (nowMs >= runUntil) return { steps: [{ do: 'time-out' }], dueAtMs: null };
  const later: number[] = [runUntil];
  const steps: RunStep[] = [];
  if (run.hold) {
    const renewAt = timeOf(run.hold.expiresAt) - RENEW_BEFORE_MS;
    if (nowMs >= renewAt) steps.push({ do: 'renew' });
    else later.push(renewAt);
  }
  let slots = run.order.plan.concurrencyMax - calling.size;
  for (const [path, node] of run.nodes) {
    if (calling.has(path) || hasEnded(node)) continue;
    const readyAt = readyAtOf(run, node);
    if (readyAt === null) continue;
    if (nowMs < readyAt) {
      later.push(readyAt);
    } else if (isControl(node)) {
      steps.push({ do: 'control', path, node });
    } else if (slots > 0) {
      slots -= 1;
      steps.push({ do: 'call', path, node });
    }
  }
  return { steps, dueAtMs: Math.min(...later) };
};

/** When the next step of a node is due; null: it waits for something else than time. */
const readyAtOf = (run: StartedRun, one: RunNode): number | null => {
  const { status, retryAt, until, node } = one;
  if (status === 'pending') return verdictOn(run, one) === 'run' ? 0 : null;
  if (status === 'retrying') return retryAt === null ? 0 : timeOf(retryAt);
  if (!isControl(one)) return 0;
  if (node.kind === 'map') return itemsOf(run, one).every(hasEnded) ? 0 : null;
  return until === null ? null : timeOf(until);
};

const planOfEnded = (run: StartedRun, nowMs: number): RunPlan => {
  if (run.isForgotten) return { steps: [], dueAtMs: null };
  if (!run.settlement) return { steps: [{ do: 'settle' }], dueAtMs: null };
  const forgetAt = timeOf(run.endedAt ?? run.order.startedAt) + KEPT_MS;
  if (nowMs >= forgetAt) return { steps: [{ do: 'forget' }], dueAtMs: null };
  return { steps: [], dueAtMs: forgetAt };
};
