import { type CatalogRig } from '#areas/catalog/catalog-entry.js';
import { type CostUnit } from '#areas/catalog/rig-model-cost.schema.js';
import { type RigAttempt, type RigModelCost } from '#areas/inference/rigs/rig-attempt.js';
import { type RigAttempt as RecordedAttempt } from '#events/costs/rig-attempt.events.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { instantAt } from '#platform/kernel/clock.js';

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

const SENT_LENGTH_MAX = 256;

/** An attempt as the log keeps it. */
export const recordOf = (attempt: RigAttempt): RecordedAttempt => {
  const { trace, cost } = attempt;
  const work = {
    accountId: attempt.account,
    holdId: attempt.holdId,
    model: attempt.model,
    sent: attempt.sent.slice(0, SENT_LENGTH_MAX),
    rig: attempt.rig,
    outcome: attempt.outcome,
    usage: attempt.usage && usageOf(attempt.usage),
    cost: cost && { basis: cost.basis, picoUsd: cost.picoUsd.toString() },
  };
  const startedAt = instantAt(attempt.startedAtMs);
  const endedAt = instantAt(attempt.endedAtMs);
  return { ...work, ...(trace !== undefined && { trace }), ...{ startedAt, endedAt } };
};

const usageOf = ({
  promptTokens: inputTokens,
  completionTokens: outputTokens,
  parts,
  source,
}: Usage): RecordedAttempt['usage'] =>
  parts ? { inputTokens, outputTokens, parts, source } : { inputTokens, outputTokens, source };
