import { fromDecimal } from '#platform/kernel/money.js';
import { PICO_USD_PER_MICRO_USD, picoInUsd } from '#platform/kernel/pico-usd.js';
import { type NamedRequest } from './list-requests.handler.js';

/** An exact amount of micro-dollars in dollars. */
export const usdOf = (microUsd: bigint): string => picoInUsd(microUsd * PICO_USD_PER_MICRO_USD);

/** A request, as JSON. */
export const requestFields = (request: NamedRequest) => ({
  id: request.id,
  placed_at: request.placedAt,
  ended_at: request.endedAt,
  status: request.status,
  reason: request.reason,
  product: request.purpose,
  mode: request.mode,
  model: request.model,
  rigs: request.rigs,
  key_id: request.key,
  key_name: request.keyName,
  end_user: request.endUser,
  tags: request.tags,
  usage: request.usage,
  price_tiers: request.tiers.map((tier) => ({
    service: tier.service ?? null,
    above_input_tokens: tier.aboveInputTokens ?? null,
    period: tier.period ?? null,
    residency: tier.residency ?? null,
  })),
  cost_usd: usdOf(fromDecimal(request.amount)),
  first_byte_ms: request.firstByteMs,
  total_ms: Date.parse(request.endedAt) - Date.parse(request.placedAt),
  guard_hits: request.hits.map(({ rule, does, on, matches, hasFailed }) => ({
    rule,
    action: does,
    on,
    matches,
    failed: hasFailed,
  })),
});
