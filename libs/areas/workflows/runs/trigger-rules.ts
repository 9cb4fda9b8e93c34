import { type NodeEnd } from '#events/workflows/workflow-run.events.js';
import { type TriggerRule } from '#events/workflows/workflow.vocabulary.js';

/** The end of a predecessor of the node; null: it has not ended. */
export type EdgeState = NodeEnd | null;

/** The decision of a rule for a node, given the states of its predecessors. */
export type Verdict = 'wait' | 'run' | 'skipped' | 'upstream_failed';

const isFailed = (state: EdgeState): boolean => state === 'failed' || state === 'upstream_failed';

/**
 * The rules of Airflow, which decides as early as it can: with `all_success` and `none_failed` the
 * first failure decides, with `one_failed` it is the start.
 */
export const verdictOf = (rule: TriggerRule, before: readonly EdgeState[]): Verdict => {
  const hasFailed = before.some(isFailed);
  const haveEnded = !before.includes(null);
  switch (rule) {
    case 'all_success':
      if (hasFailed) return 'upstream_failed';
      if (before.includes('skipped')) return 'skipped';
      return haveEnded ? 'run' : 'wait';
    case 'one_failed':
      if (hasFailed) return 'run';
      return haveEnded ? 'skipped' : 'wait';
    case 'all_done':
      return haveEnded ? 'run' : 'wait';
    case 'none_failed':
      if (hasFailed) return 'upstream_failed';
      return haveEnded ? 'run' : 'wait';
  }
};
