import { type PriceLine } from '#events/hold.vocabulary.js';
import {
  INPUT_METER,
  INPUT_PARTS,
  OUTPUT_METER,
  OUTPUT_PARTS,
  sideOf,
  TOKEN_METERS,
  type TokenMeter,
  TOKEN_PARTS,
  type TokenPart,
} from '#events/token-meters.js';
import {
  type ContextTier,
  type PricesByMeter,
  type PriceTier,
  type TokenPrice,
} from '#events/token-price.vocabulary.js';
import { isAbove, type UnitPrice } from './price.js';

/** Prices of models are for this many tokens. */
export const TOKENS_PER_PRICE = 1_000_000;
const PERCENT = 100;

/** Units of each class. A class that is absent was not used, or not measured. */
export type TokenUnits = Readonly<Partial<Record<TokenMeter, number>>>;

/** The tokens that a request may use at most. */
export interface TokenBound {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What decides which prices a request may have. */
export interface TokenTerms {
  /** The service tier. Absent, or unknown to the price: the standard one. */
  readonly service?: string;
  /** Whether the request may have audio and images, and so the tokens of such parts. */
  readonly hasMedia?: boolean;
}

const MEDIA: ReadonlySet<TokenMeter> = new Set([
  'audio_input_tokens',
  'cache_read_audio_tokens',
  'image_input_tokens',
  'audio_output_tokens',
  'image_output_tokens',
]);

/** The classes whose price a class may have, its own first. */
const candidatesOf = (meter: TokenMeter): readonly TokenMeter[] => {
  const side = sideOf(meter);
  if (meter === side) return [meter];
  // A provider that states no life of a write may mean any; the price list names one.
  return meter === 'cache_write_30m_tokens'
    ? [meter, 'cache_write_5m_tokens', side]
    : [meter, side];
};

/** Rows of prices that are looked through in order, each with its factor. */
type Rows = readonly (readonly [prices: PricesByMeter, percent: number])[];

const standardOf = (price: TokenPrice): PricesByMeter => ({
  ...price.classes,
  input_tokens: price.inputMicroUsdPerMtok,
  output_tokens: price.outputMicroUsdPerMtok,
});

/** The context tier of this edge, where the price has it. */
const tierAt = (tiers: readonly ContextTier[] | undefined, above: number | undefined) =>
  above === undefined
    ? undefined
    : tiers?.find(({ aboveInputTokens }) => aboveInputTokens === above);

const tiersOf = (price: TokenPrice, service: string | undefined): readonly ContextTier[] =>
  (service === undefined ? undefined : price.serviceTiers?.[service]?.tiers) ?? price.tiers ?? [];

const rowsOf = (price: TokenPrice, { service, aboveInputTokens: above }: PriceTier): Rows => {
  const standard: Rows = [
    ...rowOf(tierAt(price.tiers, above)?.prices, PERCENT),
    [standardOf(price), PERCENT],
  ];
  const tier = service === undefined ? undefined : price.serviceTiers?.[service];
  if (!tier) return standard;
  const { percent, prices, tiers } = tier;
  const context = tiers ? rowOf(tierAt(tiers, above)?.prices, PERCENT) : [];
  const scaledTier = tiers ? [] : rowOf(tierAt(price.tiers, above)?.prices, percent);
  return [...context, ...scaledTier, [prices, PERCENT], [standardOf(price), percent]];
};

const rowOf = (prices: PricesByMeter | undefined, percent: number): Rows =>
  prices ? [[prices, percent]] : [];

/** What a token of a class costs in a tier. */
export const tokenUnitPrice = (
  price: TokenPrice,
  meter: TokenMeter,
  tier: PriceTier = {},
): UnitPrice => {
  const rows = rowsOf(price, tier);
  for (const candidate of candidatesOf(meter)) {
    for (const [prices, percent] of rows) {
      const full = prices[candidate];
      if (full === undefined) continue;
      const whole = { unitPriceMicroUsd: full, perUnits: TOKENS_PER_PRICE };
      return percent === PERCENT ? whole : timesPercent(whole, percent);
    }
  }
  throw new Error(`a price without ${meter}`);
};

/** Exact: a price with a factor in percent is for a hundred times the units. */
export const timesPercent = <Price extends UnitPrice>(price: Price, percent: number): Price => ({
  ...price,
  unitPriceMicroUsd: (BigInt(price.unitPriceMicroUsd) * BigInt(percent)).toString(),
  perUnits: price.perUnits * PERCENT,
});

/** The tier of a request with so much input. The edge is "more than". */
export const tierOf = (
  price: TokenPrice,
  inputTokens: number,
  service?: string,
): { readonly tier: PriceTier; readonly mode: ContextTier['mode'] } => {
  const known =
    service !== undefined && price.serviceTiers?.[service] !== undefined ? { service } : {};
  const reached = tiersOf(price, service).findLast(
    ({ aboveInputTokens }) => inputTokens > aboveInputTokens,
  );
  if (!reached) return { tier: known, mode: 'whole' };
  const { aboveInputTokens, mode } = reached;
  return { tier: { ...known, aboveInputTokens }, mode };
};

const lineOf = (
  price: TokenPrice,
  meter: TokenMeter,
  quantity: number,
  tier: PriceTier,
): PriceLine => ({
  ...(Object.keys(tier).length > 0 && { tier }),
  meter,
  quantity,
  ...tokenUnitPrice(price, meter, tier),
});

/** All input tokens, of every class. */
export const inputTokensOf = (units: TokenUnits): number =>
  INPUT_PARTS.reduce((sum, part) => sum + (units[part] ?? 0), units.input_tokens ?? 0);

/**
 * The lines of a charge: fresh input and plain output, then each part that was used. A tier on the
 * excess prices the fresh input first, since it comes last in a prompt.
 * @param inputTokens of the one request that decides the context tier
 */
export const chargedTokenLines = (
  units: TokenUnits,
  price: TokenPrice,
  service?: string,
  inputTokens = inputTokensOf(units),
): PriceLine[] => {
  const { tier, mode } = tierOf(price, inputTokens, service);
  const parts = TOKEN_PARTS.filter((part) => (units[part] ?? 0) > 0);
  const meters: readonly TokenMeter[] = [INPUT_METER, OUTPUT_METER, ...parts];
  if (mode === 'excess') return excessLines(units, price, tier, meters);
  return meters.map((meter) => lineOf(price, meter, units[meter] ?? 0, tier));
};

const excessLines = (
  units: TokenUnits,
  price: TokenPrice,
  { aboveInputTokens: above = 0, ...below }: PriceTier,
  meters: readonly TokenMeter[],
): PriceLine[] => {
  let left = above;
  const lines = new Map<TokenMeter, PriceLine[]>();
  for (const meter of meters.toReversed()) {
    const used = units[meter] ?? 0;
    const isInput = sideOf(meter) === INPUT_METER;
    const cheap = isInput ? Math.min(used, left) : used;
    if (isInput) left -= cheap;
    const excess = used - cheap;
    lines.set(meter, [
      lineOf(price, meter, cheap, below),
      ...(excess > 0 ? [lineOf(price, meter, excess, { ...below, aboveInputTokens: above })] : []),
    ]);
  }
  return meters.flatMap((meter) => lines.get(meter) ?? []);
};

/**
 * The lines of a hold: all input and all output, each at the dearest price that one of its tokens
 * may have in the service tier that was asked for.
 */
export const heldTokenLines = (
  { inputTokens, outputTokens }: TokenBound,
  price: TokenPrice,
  terms: TokenTerms = {},
): PriceLine[] => [
  heldLine(price, INPUT_METER, inputTokens, inputTokens, terms),
  heldLine(price, OUTPUT_METER, outputTokens, inputTokens, terms),
];

const heldLine = (
  price: TokenPrice,
  side: typeof INPUT_METER | typeof OUTPUT_METER,
  quantity: number,
  inputTokens: number,
  { service, hasMedia = false }: TokenTerms,
): PriceLine => {
  const { classes, tiers, serviceTiers } = price;
  let dearest = tokenUnitPrice(price, side, service === undefined ? {} : { service });
  if (classes ?? tiers ?? serviceTiers) {
    const parts: readonly TokenPart[] = side === INPUT_METER ? INPUT_PARTS : OUTPUT_PARTS;
    const meters = [side, ...parts.filter((part) => hasMedia || !MEDIA.has(part))];
    for (const tier of reachable(price, inputTokens, service)) {
      for (const meter of meters) {
        const found = tokenUnitPrice(price, meter, tier);
        if (isAbove(found, dearest)) dearest = found;
      }
    }
  }
  return { meter: side, quantity, ...dearest };
};

const reachable = (
  price: TokenPrice,
  inputTokens: number,
  service: string | undefined,
): readonly PriceTier[] => {
  const tier: PriceTier = service === undefined ? {} : { service };
  const above = tiersOf(price, service).filter((one) => inputTokens > one.aboveInputTokens);
  return [tier, ...above.map(({ aboveInputTokens }) => ({ ...tier, aboveInputTokens }))];
};

/**
 * Tokens of classes that the request could not have are fresh input or plain output: its hold does
 * not cover their price.
 */
export const withoutMedia = (units: TokenUnits): TokenUnits => {
  const left: Partial<Record<TokenMeter, number>> = {};
  for (const meter of TOKEN_METERS) {
    const count = units[meter];
    if (count === undefined) continue;
    const kept = MEDIA.has(meter) ? sideOf(meter) : meter;
    left[kept] = (left[kept] ?? 0) + count;
  }
  return left;
};
