import { type WorkflowNode } from '#events/workflows/workflow.vocabulary.js';
import { type RunNode, type StartedRun } from './workflow-run.state.js';
import { type EdgeState, type Verdict, verdictOf } from './trigger-rules.js';

/** The states of the predecessors of a node, and the decision of its rule. */
export const verdictOn = (run: StartedRun, { node, item }: RunNode): Verdict => {
  // An item begins as soon as its map node has.
  if (item !== null) return 'run';
  return verdictOf(
    node.triggerRule,
    node.after.map((name) => edgeOf(run, name, node)),
  );
};

/** To a node that a branch has not chosen, the branch is skipped. */
const edgeOf = ({ nodes }: StartedRun, before: string, { name }: WorkflowNode): EdgeState => {
  const { status, end } = nodes.get(before) ?? { status: 'skipped', end: null };
  if (end?.chosen && !end.chosen.includes(name)) return 'skipped';
  return status === 'pending' || status === 'running' || status === 'retrying' ? null : status;
};

/** The items of a map node that has begun, in order. */
export const itemsOf = (run: StartedRun, { node, items }: RunNode): readonly RunNode[] =>
  Array.from({ length: items ?? 0 }, (_, item) => run.nodes.get(`${node.name}/${item}`)).flatMap(
    (one) => one ?? [],
  );

/** The nodes of the definition that no other one follows: they decide how the run has ended. */
export const leavesOf = ({ order: { plan }, nodes }: StartedRun): readonly RunNode[] => {
  const followed = new Set(plan.nodes.flatMap(({ after }) => after));
  return plan.nodes.flatMap(({ name }) => (followed.has(name) ? [] : (nodes.get(name) ?? [])));
};
