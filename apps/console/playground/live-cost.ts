import { type AnswerOf } from '../shell/routes.js';

export type Estimate = AnswerOf<'/api/v1/estimate', 'POST'>;

const OUTPUT = 'output_tokens';
const MICRO = 1_000_000;
/** Beyond it, digits of a product are of the arithmetic of the browser. */
const MICRO_DECIMALS = 6;

/**
 * The micro-dollars of a chat so far, by the prices of its estimate: its input, and the output
 * tokens that have come. Rounded up once, as a charge is. Null: the estimate has no such price.
 */
export const costSoFar = ({ lines }: Pick<Estimate, 'lines'>, tokens: number): number | null => {
  if (!lines.some(({ meter }) => meter === OUTPUT)) return null;
  const usd = lines
    .map(
      ({ meter, quantity, usd: price, per }) =>
        ((meter === OUTPUT ? Math.min(tokens, quantity) : quantity) * price) / per,
    )
    .reduce((sum, amount) => sum + amount, 0);
  return Math.ceil(Number((usd * MICRO).toFixed(MICRO_DECIMALS)));
};
