import { z } from 'zod';

/**
 * Why the charge is lower than the stated usage could mean. `bad_count`: a count is negative,
 * fractional or absurd, and was not read. `parts_above_total`: the parts are more than their total,
 * and the dearest were cut. `parts_overlap`: tokens are counted in two classes.
 * `total_differs`: the stated total is less than its parts. `unknown_model`: another model that
 * answered has no price here. `dearer_model`: it is dearer than the hold allows. Both are charged
 * as the model that was asked for. `too_many_calls`: further calls of models were not read.
 */
export const UsageDoubt = z.enum([
  'bad_count',
  'parts_above_total',
  'parts_overlap',
  'total_differs',
  'unknown_model',
  'dearer_model',
  'too_many_calls',
]);
export type UsageDoubt = z.infer<typeof UsageDoubt>;

export const UsageDoubts = z.array(UsageDoubt).min(1);

/** The doubts about the usage of an answer; absent for none. */
export interface DoubtedUsage {
  readonly usageDoubts?: readonly UsageDoubt[] | undefined;
}

/** The doubts about several answers, each once, for the data of an event. */
export const doubtsOf = (
  answers: readonly DoubtedUsage[],
): { usageDoubts?: z.infer<typeof UsageDoubts> } => {
  const all = new Set(answers.flatMap(({ usageDoubts = [] }) => usageDoubts));
  return all.size > 0 ? { usageDoubts: [...all] } : {};
};
