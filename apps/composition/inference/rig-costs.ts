import { type CatalogRig } from '#areas/catalog/catalog-entry.js';
import { type CostUnit } from '#areas/catalog/rig-model-cost.schema.js';
import { type RigModelCost } from '#areas/inference/rigs/rig-attempt.js';

/** Pico-dollars of the units in which providers state a cost. */
const PICO_USD: Readonly<Record<CostUnit, bigint>> = {
  usd: 1_000_000_000_000n,
  usd_cents: 10_000_000_000n,
  micro_usd: 1_000_000n,
  usd_ticks: 100n,
};

/** The costs of the models of a rig, by catalog id. */
export const costsOf = (rig: CatalogRig): ReadonlyMap<string, RigModelCost> =>
  new Map(
    (rig.kind === 'embedded' ? [] : rig.models).map(({ id, cost: price, costField }) => [
      id,
      {
        price,
        field: costField && { path: costField.path, picoPerUnit: PICO_USD[costField.unit] },
      },
    ]),
  );
