import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type RankedRig } from '#areas/inference/rigs/choice/rig-ranking.js';
import { type RigStatus } from '#areas/inference/rigs/rig-state.js';
import { type TokenPrice } from '#events/token-price.vocabulary.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { type ModelRankingDto, type RankedRigDto, type RoutedRigDto } from './routing.dto.js';

const instantOf = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

export const presentRoutedRig = (status: RigStatus): RoutedRigDto => ({
  rig: status.name,
  region: status.region,
  breaker: status.breaker,
  breaker_since: instantOf(status.breakerSinceMs),
  trial_at: instantOf(status.trialAtMs),
  error_rate: status.errorRate,
  last_failure: status.lastFailure,
  in_flight: status.inFlight,
  max_concurrency: status.maxConcurrency,
  first_token_ms: status.firstTokenMs,
});

const costOf = ({ inputMicroUsdPerMtok, outputMicroUsdPerMtok }: TokenPrice) => ({
  input_usd_per_mtok: toUsd(fromDecimal(inputMicroUsdPerMtok)),
  output_usd_per_mtok: toUsd(fromDecimal(outputMicroUsdPerMtok)),
});

/** Preference, cache and dialect are of single requests: they are 0 in a ranking. */
const presentRankedRig = ({ parts, cost, ...ranked }: RankedRig): RankedRigDto => ({
  rig: ranked.rig,
  absence: ranked.absence,
  score: ranked.score,
  parts: {
    load: parts.load,
    first_token: parts.firstToken,
    errors: parts.errors,
    breaker: parts.breaker,
    region: parts.region,
    price: parts.price,
  },
  weight: ranked.weight,
  cost: cost?.price ? costOf(cost.price) : null,
});

export const presentRanking = (
  { id, price }: CatalogModel,
  ranking: readonly RankedRig[],
): ModelRankingDto => ({ model: id, price: costOf(price), rigs: ranking.map(presentRankedRig) });
