import { type PriceLine } from '#events/hold.vocabulary.js';
import { toDecimal } from '#platform/kernel/money.js';
import { TOKENS_PER_PRICE } from '#platform/ledger/price-card.js';
import { type TokenQuantities } from '#platform/chats/chat-usage.js';
import { type TokenRate } from './ports.js';

export const INPUT_METER = 'input_tokens';
export const OUTPUT_METER = 'output_tokens';

/** Tokens as the lines of a hold or a charge. */
export const linesOf = (
  { inputTokens, outputTokens }: TokenQuantities,
  { inputMicroUsdPerMtok, outputMicroUsdPerMtok }: TokenRate,
): PriceLine[] => [
  {
    meter: INPUT_METER,
    quantity: inputTokens,
    unitPriceMicroUsd: toDecimal(inputMicroUsdPerMtok),
    perUnits: TOKENS_PER_PRICE,
  },
  {
    meter: OUTPUT_METER,
    quantity: outputTokens,
    unitPriceMicroUsd: toDecimal(outputMicroUsdPerMtok),
    perUnits: TOKENS_PER_PRICE,
  },
];

/** The tokens that lines stand for. */
export const tokensIn = (lines: readonly PriceLine[]): TokenQuantities => {
  const unitsOf = (meter: string): number =>
    lines.reduce((sum, line) => (line.meter === meter ? sum + line.quantity : sum), 0);
  return { inputTokens: unitsOf(INPUT_METER), outputTokens: unitsOf(OUTPUT_METER) };
};

/** A discount is a whole percentage, so a price with it is exact for a hundred times the tokens. */
const PERCENT = 100;

/** Tokens of a batch as price lines: exact, without a rounded unit price. */
export const batchLinesOf = (quantities: TokenQuantities, rate: TokenRate): PriceLine[] => {
  const percent = BigInt(PERCENT - rate.batchDiscountPercent);
  const discounted = {
    ...rate,
    inputMicroUsdPerMtok: rate.inputMicroUsdPerMtok * percent,
    outputMicroUsdPerMtok: rate.outputMicroUsdPerMtok * percent,
  };
  return linesOf(quantities, discounted).map((line) => ({
    ...line,
    perUnits: line.perUnits * PERCENT,
  }));
};
