import { describe, expect, it } from '@jest/globals';
import { TriggerRule } from '#events/workflows/workflow.vocabulary.js';
import { type EdgeState, type Verdict, verdictOf } from './trigger-rules.js';

type Row = readonly [readonly EdgeState[], ...(readonly Verdict[])];

/** By rule: all_success, one_failed, all_done, none_failed. */
const TABLE: readonly Row[] = [
  [[], 'run', 'skipped', 'run', 'run'],
  [[null], 'wait', 'wait', 'wait', 'wait'],
  [['succeeded'], 'run', 'skipped', 'run', 'run'],
  [['succeeded', null], 'wait', 'wait', 'wait', 'wait'],
  [['failed', null], 'upstream_failed', 'run', 'wait', 'upstream_failed'],
  [['upstream_failed', null], 'upstream_failed', 'run', 'wait', 'upstream_failed'],
  [['skipped', null], 'skipped', 'wait', 'wait', 'wait'],
  [['skipped', 'succeeded'], 'skipped', 'skipped', 'run', 'run'],
  [['skipped', 'failed'], 'upstream_failed', 'run', 'run', 'upstream_failed'],
  [['skipped', 'skipped'], 'skipped', 'skipped', 'run', 'run'],
];

describe('a trigger rule', () => {
  it.each(TABLE)('decides as Airflow does after %j', (before, ...verdicts) => {
    const decided = TriggerRule.options.map((rule) => verdictOf(rule, before));
    expect(decided).toEqual(verdicts);
  });
});
