import { type Excess, type PriceLine } from '#events/hold.vocabulary.js';
import { toDecimal } from '#platform/kernel/money.js';
import { type TokenQuantities, type TokenRate } from './ports.js';

export const INPUT_METER = 'input_tokens';
export const OUTPUT_METER = 'output_tokens';

/** Prices of models are per this many tokens. */
export const TOKENS_PER_PRICE = 1_000_000;

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

/** Tokens that were claimed above the bound; meters without any are left out. */
export const excessOf = ({ inputTokens, outputTokens }: TokenQuantities): Excess[] =>
  [
    { meter: INPUT_METER, quantity: inputTokens },
    { meter: OUTPUT_METER, quantity: outputTokens },
  ].filter(({ quantity }) => quantity > 0);

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
