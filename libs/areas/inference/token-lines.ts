import { type PriceLine } from '#events/hold.vocabulary.js';
import { INPUT_METER, OUTPUT_METER, type TokenMeter } from '#events/token-meters.js';
import { priceOf } from '#platform/ledger/price.js';
import {
  chargedTokenLines,
  type TokenTerms,
  timesPercent,
  tokenUnitPrice,
  withoutMedia,
} from '#platform/ledger/token-price.js';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { type TokenQuantities, type Usage } from '#platform/chats/chat-usage.js';
import { type TokenRate } from './ports.js';
import { hasMedia } from './token-bound.js';
import { unitsOf } from './token-units.js';

/** The meters of a chat, with their units in words. */
export const TOKEN_UNITS_IN_WORDS: Readonly<Record<TokenMeter, string>> = {
  input_tokens: 'fresh tokens of the prompt',
  output_tokens: 'tokens of the answer',
  cache_read_tokens: "tokens of the prompt that the provider's cache held",
  cache_write_5m_tokens: 'tokens of the prompt that the provider caches for 5 minutes',
  cache_write_30m_tokens: 'tokens of the prompt that the provider caches for 30 minutes',
  cache_write_1h_tokens: 'tokens of the prompt that the provider caches for an hour',
  audio_input_tokens: 'tokens of audio in the prompt',
  cache_read_audio_tokens: "tokens of audio that the provider's cache held",
  image_input_tokens: 'tokens of images in the prompt',
  reasoning_tokens: 'tokens of reasoning',
  audio_output_tokens: 'tokens of audio in the answer',
  image_output_tokens: 'tokens of images in the answer',
};

/** Tokens as lines at the standard prices of fresh input and of output. */
export const linesOf = (
  { inputTokens, outputTokens }: TokenQuantities,
  rate: TokenRate,
): PriceLine[] => [
  { meter: INPUT_METER, quantity: inputTokens, ...tokenUnitPrice(rate, INPUT_METER) },
  { meter: OUTPUT_METER, quantity: outputTokens, ...tokenUnitPrice(rate, OUTPUT_METER) },
];

/** The tokens of the lines of a hold. */
export const tokensIn = (lines: readonly PriceLine[]): TokenQuantities => {
  const unitsOf = (meter: string): number =>
    lines.reduce((sum, line) => (line.meter === meter ? sum + line.quantity : sum), 0);
  return { inputTokens: unitsOf(INPUT_METER), outputTokens: unitsOf(OUTPUT_METER) };
};

/** Tokens of a batch as price lines: exact, without a rounded unit price. */
export const batchLinesOf = (quantities: TokenQuantities, rate: TokenRate): PriceLine[] =>
  linesOf(quantities, rate).map((line) => timesPercent(line, 100 - rate.batchDiscountPercent));

/** What decides the prices of a chat beside its tokens. */
export interface ChatTerms extends TokenTerms {
  /** How many prompts the request has: rigs price each by its own size. */
  readonly prompts: number;
}

/** The standard prices apply to a service tier that the model has no prices for. */
export const termsOf = (
  bodies: readonly ChatBody[],
  { serviceTiers = {} }: TokenRate,
): ChatTerms => {
  const asked = bodies[0]?.['service_tier'];
  const isPriced = typeof asked === 'string' && Object.hasOwn(serviceTiers, asked);
  return {
    prompts: bodies.length,
    hasMedia: bodies.some(hasMedia),
    ...(isPriced && { service: asked }),
  };
};

/**
 * The lines of a charge, before its hold limits them: in the service tier that the rig states, but
 * never dearer than the one that was asked for. Context tiers are for one prompt; several prompts
 * have the prices below every tier.
 */
export const chargedLinesOf = (
  usage: Usage,
  rate: TokenRate,
  { service, hasMedia: mayHaveMedia, prompts }: ChatTerms,
): PriceLine[] => {
  const all = unitsOf(usage);
  const units = mayHaveMedia ? all : withoutMedia(all);
  const size = prompts > 1 ? 0 : usage.promptTokens;
  const asked = chargedTokenLines(units, rate, service, size);
  if (usage.serviceTier === service || rate.serviceTiers === undefined) return asked;
  const answered = chargedTokenLines(units, rate, usage.serviceTier, size);
  return priceOf(answered) < priceOf(asked) ? answered : asked;
};
