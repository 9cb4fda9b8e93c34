import { z } from 'zod';
import { ModelPrice } from './token-price.schema.js';

/** The units in which providers state a cost; a tick of xAI is 10^-10 USD. */
export const COST_UNITS = ['usd', 'usd_cents', 'micro_usd', 'usd_ticks'] as const;
export type CostUnit = (typeof COST_UNITS)[number];

/** Where a rig states in its answer what it charges for it. */
export interface CostField {
  /** The names from the answer down to the number. */
  readonly path: readonly string[];
  readonly unit: CostUnit;
}

const CostPath = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,63}(\.[A-Za-z_][A-Za-z0-9_]{0,63}){0,7}$/,
    'must be names of fields joined by dots, such as usage.cost',
  )
  .transform((path) => path.split('.'));

/** The purchase terms of a model on a rig: `cost` has the fields of `price`. */
export const RIG_MODEL_COST = {
  cost: ModelPrice.optional(),
  cost_field: z
    .strictObject({ path: CostPath, unit: z.enum(COST_UNITS).default('usd') })
    .optional(),
};
