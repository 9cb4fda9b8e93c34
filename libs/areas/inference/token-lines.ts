import { type PriceLine } from '#events/hold.vocabulary.js';
import { INPUT_METER, OUTPUT_METER } from '#events/token-meters.js';
import { Residency, ServiceTier } from '#events/token-price.vocabulary.js';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { type TokenQuantities } from '#platform/chats/chat-usage.js';
import { type TariffTerms } from '#platform/chats/token-tariff.js';
import { hasMedia } from './token-bound.js';

/** The tokens of the lines of a hold. */
export const tokensIn = (lines: readonly PriceLine[]): TokenQuantities => {
  let inputTokens = 0;
  let outputTokens = 0;
  for (const { meter, quantity } of lines) {
    if (meter === INPUT_METER) inputTokens += quantity;
    else if (meter === OUTPUT_METER) outputTokens += quantity;
  }
  return { inputTokens, outputTokens };
};

/**
 * What a request says of its prices. `speed: fast` is the service tier `fast`, and `inference_geo`
 * the place of the work.
 */
export const termsOf = (bodies: readonly ChatBody[]): TariffTerms => {
  const [body] = bodies;
  const service = nameIn(ServiceTier, body?.['speed'] ?? body?.['service_tier']);
  const residency = nameIn(Residency, body?.['inference_geo']);
  const terms = { isTiered: bodies.length === 1, hasMedia: bodies.some(hasMedia) };
  if (service === undefined && residency === undefined) return terms;
  return {
    ...terms,
    ...(service !== undefined && { service }),
    ...(residency !== undefined && { residency }),
  };
};

const nameIn = (names: typeof ServiceTier, value: unknown): string | undefined =>
  typeof value === 'string' && names.safeParse(value).success ? value : undefined;
