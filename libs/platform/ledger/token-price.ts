import { type PriceLine } from '#events/hold.vocabulary.js';
import {
  INPUT_METER,
  INPUT_PARTS,
  type ModelMeter,
  OUTPUT_METER,
  OUTPUT_PARTS,
  SEARCH_METER,
  sideOf,
  TOKEN_METERS,
  type TokenMeter,
  TOKEN_PARTS,
  type TokenPart,
  type TokenSide,
} from '#events/token-meters.js';
import {
  type ContextTier,
  type PricePeriod,
  type PricesByMeter,
  type PriceTier,
  type TokenPrice,
  type TokenPriceList,
} from '#events/token-price.vocabulary.js';
import { WEEKDAYS } from '#events/weekdays.js';
import { isAbove, type UnitPrice } from './price.js';

/** Prices of models are for this many tokens, and for this many searches. */
export const TOKENS_PER_PRICE = 1_000_000;
export const SEARCHES_PER_PRICE = 1_000;
const PERCENT = 100;

/** Units of each class. A class that is absent was not used, or not measured. */
export type TokenUnits = Readonly<Partial<Record<ModelMeter, number>>>;

/** The maximum usage of a request. Without `outputTokens` its work has no output. */
export interface TokenBound {
  readonly inputTokens: number;
  readonly outputTokens?: number;
  readonly searches?: number;
}

/** The facts that choose among the prices of a model. An unknown value has the standard price. */
export type PriceScope = Omit<PriceTier, 'aboveInputTokens'>;

/** The facts that decide which prices a request may have. */
export interface TokenTerms extends PriceScope {
  /** Whether the request may have audio and images, and so the tokens of such parts. */
  readonly hasMedia?: boolean;
  /** Of the largest of several requests. Absent: there is one. */
  readonly inputTokensMax?: number;
}

const SIDES: readonly TokenSide[] = [INPUT_METER, OUTPUT_METER];

const MEDIA: ReadonlySet<TokenMeter> = new Set([
  'audio_input_tokens',
  'cache_read_audio_tokens',
  'image_input_tokens',
  'audio_output_tokens',
  'image_output_tokens',
]);

/** The classes whose price a class may have, its own first. */
export const candidatesOf = (meter: TokenMeter): readonly TokenMeter[] => {
  const side = sideOf(meter);
  if (meter === side) return [meter];
  // A provider that states no life of a write may mean any; the price list names one.
  return meter === 'cache_write_30m_tokens'
    ? [meter, 'cache_write_5m_tokens', side]
    : [meter, side];
};

/** Rows of prices that are looked through in order, each with its factor. */
type Rows = readonly (readonly [prices: PricesByMeter, percent: number])[];

const standardOf = (price: TokenPriceList): PricesByMeter => ({
  ...price.classes,
  input_tokens: price.inputMicroUsdPerMtok,
  output_tokens: price.outputMicroUsdPerMtok,
});

/** The context tier of this edge, where the price has it. */
const tierAt = (tiers: readonly ContextTier[] | undefined, above: number | undefined) =>
  above === undefined
    ? undefined
    : tiers?.find(({ aboveInputTokens }) => aboveInputTokens === above);

/** Callers and rigs name tiers: a name that every object has is none. */
const named = <Of>(record: Readonly<Record<string, Of>> = {}, name?: string): Of | undefined =>
  name !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;

const tiersOf = (price: TokenPriceList, service: string | undefined): readonly ContextTier[] =>
  named(price.serviceTiers, service)?.tiers ?? price.tiers ?? [];

const rowsOf = (price: TokenPriceList, { service, aboveInputTokens: above }: PriceTier): Rows => {
  const standard: Rows = [
    ...rowOf(tierAt(price.tiers, above)?.prices, PERCENT),
    [standardOf(price), PERCENT],
  ];
  const tier = named(price.serviceTiers, service);
  if (!tier) return standard;
  const { percent, prices, tiers } = tier;
  const context = tiers ? rowOf(tierAt(tiers, above)?.prices, PERCENT) : [];
  const scaledTier = tiers ? [] : rowOf(tierAt(price.tiers, above)?.prices, percent);
  return [...context, ...scaledTier, [prices, PERCENT], [standardOf(price), percent]];
};

const rowOf = (prices: PricesByMeter | undefined, percent: number): Rows =>
  prices ? [[prices, percent]] : [];

const MINUTES_PER_DAY = 1_440;
const MS_PER_MINUTE = 60_000;

/** The period of the price that has an instant, in milliseconds since the Unix epoch. */
export const periodAt = ({ periods = [] }: TokenPrice, atMs: number): PricePeriod | undefined =>
  periods.find(({ from, until, daily, days }) => {
    if (from !== undefined && atMs < Date.parse(from)) return false;
    if (until !== undefined && atMs >= Date.parse(until)) return false;
    const day = Math.floor(atMs / (MINUTES_PER_DAY * MS_PER_MINUTE));
    const minute = Math.floor(atMs / MS_PER_MINUTE) - day * MINUTES_PER_DAY;
    const [opens, closes] = daily
      ? [minuteOf(daily.from), minuteOf(daily.until)]
      : [0, MINUTES_PER_DAY];
    const isOvernight = closes <= opens;
    const isLate = minute >= opens && (isOvernight || minute < closes);
    const isEarly = isOvernight && minute < closes;
    return (isLate && isDay(days, day)) || (isEarly && isDay(days, day - 1));
  });

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** 1 January 1970 was a Thursday. */
const isDay = (days: PricePeriod['days'], daysSinceEpoch: number): boolean => {
  const name = WEEKDAYS[(((daysSinceEpoch + 4) % 7) + 7) % 7];
  return days === undefined || (name !== undefined && days.includes(name));
};

/** The prices of a period, and the percent of them that is charged. */
const listOf = (price: TokenPrice, name: string | undefined): readonly [TokenPriceList, number] => {
  const period = name === undefined ? undefined : price.periods?.find((one) => one.name === name);
  return [period?.price ?? price, period?.percent ?? PERCENT];
};

/** The price of a token of a class, or of a search, in a tier. */
export const tokenUnitPrice = (
  price: TokenPrice,
  meter: ModelMeter,
  { period, residency, ...tier }: PriceTier = {},
): UnitPrice => {
  const [list, ofPeriod] = listOf(price, period);
  if (meter === SEARCH_METER) return searchPrice(list);
  const ofPlace = named(list.residencyPercent, residency);
  return [ofPeriod, ofPlace ?? PERCENT].reduce(
    (unit, percent) => (percent === PERCENT ? unit : timesPercent(unit, percent)),
    unitPriceIn(list, meter, tier),
  );
};

const searchPrice = ({ searchMicroUsdPerThousand = '0' }: TokenPriceList): UnitPrice => ({
  unitPriceMicroUsd: searchMicroUsdPerThousand,
  perUnits: SEARCHES_PER_PRICE,
});

const unitPriceIn = (list: TokenPriceList, meter: TokenMeter, tier: PriceTier): UnitPrice => {
  const rows = rowsOf(list, tier);
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

/** The parts of a scope that the price knows; others have the standard price. */
const knownScope = (price: TokenPrice, { service, period, residency }: PriceScope): PriceScope => {
  const [list] = listOf(price, period);
  const isPeriod = period !== undefined && price.periods?.some(({ name }) => name === period);
  return {
    ...(service !== undefined && named(list.serviceTiers, service) && { service }),
    ...(isPeriod === true && { period }),
    ...(residency !== undefined && named(list.residencyPercent, residency) && { residency }),
  };
};

/** The tier of a request with so much input. The edge is "more than". */
export const tierOf = (
  price: TokenPrice,
  inputTokens: number,
  scope: PriceScope = {},
): { readonly tier: PriceTier; readonly mode: ContextTier['mode'] } => {
  const known = knownScope(price, scope);
  const [list] = listOf(price, known.period);
  const reached = tiersOf(list, known.service).findLast(
    ({ aboveInputTokens }) => inputTokens > aboveInputTokens,
  );
  if (!reached) return { tier: known, mode: 'whole' };
  const { aboveInputTokens, mode } = reached;
  return { tier: { ...known, aboveInputTokens }, mode };
};

const lineOf = (
  price: TokenPrice,
  meter: ModelMeter,
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
 * The lines of a charge: fresh input and plain output, then each part that was used, then searches.
 * A tier on the excess prices the fresh input first, since it comes last in a prompt.
 * @param inputTokens of the one request that decides the context tier
 */
export const chargedTokenLines = (
  units: TokenUnits,
  price: TokenPrice,
  scope: PriceScope = {},
  inputTokens = inputTokensOf(units),
): PriceLine[] => {
  const { tier, mode } = tierOf(price, inputTokens, scope);
  const parts = TOKEN_PARTS.filter((part) => (units[part] ?? 0) > 0);
  const sides: TokenSide[] = units.output_tokens === undefined ? [INPUT_METER] : [...SIDES];
  const meters: readonly TokenMeter[] = [...sides, ...parts];
  const tokens =
    mode === 'excess'
      ? excessLines(units, price, tier, meters)
      : meters.map((meter) => lineOf(price, meter, units[meter] ?? 0, tier));
  return [...tokens, ...searchLines(units[SEARCH_METER], price, scope)];
};

/** None where searches are free. */
const searchLines = (
  searches = 0,
  price: TokenPrice,
  { period }: PriceScope,
): readonly PriceLine[] => {
  const tier = knownScope(price, period === undefined ? {} : { period });
  const line = lineOf(price, SEARCH_METER, searches, tier);
  return searches === 0 || line.unitPriceMicroUsd === '0' ? [] : [line];
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
 * The lines of a hold: all input, all output and all searches, each at the dearest price that one
 * of its units may have in the service tier and the place that were asked for.
 */
export const heldTokenLines = (
  { inputTokens, outputTokens, searches }: TokenBound,
  price: TokenPrice,
  terms: TokenTerms = {},
): PriceLine[] => {
  const size = terms.inputTokensMax ?? inputTokens;
  return [
    heldLine(price, INPUT_METER, inputTokens, size, terms),
    ...(outputTokens === undefined
      ? []
      : [heldLine(price, OUTPUT_METER, outputTokens, size, terms)]),
    ...searchLines(searches, price, terms),
  ];
};

const heldLine = (
  price: TokenPrice,
  side: TokenSide,
  quantity: number,
  inputTokens: number,
  terms: TokenTerms,
): PriceLine => {
  const scope = knownScope(price, terms);
  const [{ classes, tiers, serviceTiers }] = listOf(price, scope.period);
  let dearest = tokenUnitPrice(price, side, scope);
  if (classes ?? tiers ?? serviceTiers) {
    const parts: readonly TokenPart[] = side === INPUT_METER ? INPUT_PARTS : OUTPUT_PARTS;
    const meters = [side, ...parts.filter((part) => terms.hasMedia === true || !MEDIA.has(part))];
    for (const tier of reachable(price, inputTokens, scope)) {
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
  scope: PriceScope,
): readonly PriceTier[] => {
  const [list] = listOf(price, scope.period);
  const above = tiersOf(list, scope.service).filter((one) => inputTokens > one.aboveInputTokens);
  return [scope, ...above.map(({ aboveInputTokens }) => ({ ...scope, aboveInputTokens }))];
};

/**
 * Tokens of classes that the request could not have are fresh input or plain output: its hold does
 * not cover their price.
 */
export const withoutMedia = (units: TokenUnits): TokenUnits => {
  const { [SEARCH_METER]: searches, ...tokens } = units;
  const left: Partial<Record<ModelMeter, number>> =
    searches === undefined ? {} : { [SEARCH_METER]: searches };
  for (const meter of TOKEN_METERS) {
    const count = tokens[meter];
    if (count === undefined) continue;
    const kept = MEDIA.has(meter) ? sideOf(meter) : meter;
    left[kept] = (left[kept] ?? 0) + count;
  }
  return left;
};
