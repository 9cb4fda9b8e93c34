import { type PriceLine } from '#events/hold.vocabulary.js';
import { INPUT_METER, OUTPUT_METER } from '#events/token-meters.js';
import { Residency, ServiceTier } from '#events/token-price.vocabulary.js';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { type TokenQuantities } from '#platform/chats/chat-usage.js';
import { type TariffTerms } from '#platform/chats/token-tariff.js';
import { hasMedia } from './token-bound.js';

/** The tokens of the lines of a hold. */
export const tokensIn = (lines: readonly PriceLine[]): TokenQuantities => {
  const unitsOf = (meter: string): number =>
    lines.reduce((sum, line) => (line.meter === meter ? sum + line.quantity : sum), 0);
  return { inputTokens: unitsOf(INPUT_METER), outputTokens: unitsOf(OUTPUT_METER) };
};

/**
 * What a request says of its prices. `speed: fast` is the service tier `fast`, and `inference_geo`
 * the place of the work.
 */
export const termsOf = (bodies: readonly ChatBody[]): TariffTerms => {
  const [body] = bodies;
  const service = nameIn(ServiceTier, body?.['speed'] ?? body?.['service_tier']);
  const residency = nameIn(Residency, body?.['inference_geo']);
  return {
    isTiered: bodies.length === 1,
    hasMedia: bodies.some(hasMedia),
    ...(service !== undefined && { service }),
    ...(residency !== undefined && { residency }),
  };
};

const nameIn = (names: typeof ServiceTier, value: unknown): string | undefined =>
  typeof value === 'string' && names.safeParse(value).success ? value : undefined;
