import { z } from 'zod';

/**
 * Why the charge is lower than the stated usage could mean. `bad_count`: a count is negative,
 * fractional or absurd, and was not read. `parts_above_total`: the parts are more than their total,
 * and the dearest were cut. `parts_overlap`: audio and images are counted as cached, too.
 * `total_differs`: the stated total is less than its parts.
 */
export const UsageDoubt = z.enum([
  'bad_count',
  'parts_above_total',
  'parts_overlap',
  'total_differs',
]);
export type UsageDoubt = z.infer<typeof UsageDoubt>;
