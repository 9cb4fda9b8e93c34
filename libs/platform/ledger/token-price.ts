import { type PriceLine } from '#events/hold.vocabulary.js';
import {
  INPUT_METER,
  INPUT_PARTS,
  isTokenMeter,
  MODEL_METERS,
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
export interface PriceScope {
  readonly service?: string | undefined;
  readonly period?: string | undefined;
  readonly residency?: string | undefined;
}

/** The facts that decide which prices a request may have. */
export interface TokenTerms extends PriceScope {
  /** Whether the request may have audio and images, and so the tokens of such parts. */
  readonly hasMedia?: boolean | undefined;
  /** Of the largest of several requests. Absent: there is one. */
  readonly inputTokensMax?: number | undefined;
}

const MEDIA: ReadonlySet<string> = new Set<TokenMeter>([
  'audio_input_tokens',
  'cache_read_audio_tokens',
  'image_input_tokens',
  'audio_output_tokens',
  'image_output_tokens',
]);

/** The classes whose price a class may have, its own first. */
export const candidatesOf = (meter: TokenMeter): readonly TokenMeter[] => CANDIDATES[meter];

const candidates = (meter: TokenMeter): readonly TokenMeter[] => {
  const side = sideOf(meter);
  if (meter === side) return [meter];
  // A provider that states no life of a write may mean any; the price list names one.
  return meter === 'cache_write_30m_tokens'
    ? [meter, 'cache_write_5m_tokens', side]
    : [meter, side];
};

const CANDIDATES = Object.fromEntries(
  TOKEN_METERS.map((meter) => [meter, candidates(meter)]),
) as Readonly<Record<TokenMeter, readonly TokenMeter[]>>;

const standardPrice = (price: TokenPriceList, meter: TokenMeter): string | undefined => {
  if (meter === INPUT_METER) return price.inputMicroUsdPerMtok;
  return meter === OUTPUT_METER ? price.outputMicroUsdPerMtok : price.classes?.[meter];
};

/** The context tier of this edge, where the price has it. */
const tierAt = (tiers: readonly ContextTier[] | undefined, above: number | undefined) =>
  above === undefined
    ? undefined
    : tiers?.find(({ aboveInputTokens }) => aboveInputTokens === above);

/** Callers and rigs name tiers: a name that every object has is none. */
const named = <Of>(
  record: Readonly<Record<string, Of>> | undefined,
  name: string | undefined,
): Of | undefined =>
  record !== undefined && name !== undefined && Object.hasOwn(record, name)
    ? record[name]
    : undefined;

const tiersOf = (price: TokenPriceList, service: string | undefined): readonly ContextTier[] =>
  named(price.serviceTiers, service)?.tiers ?? price.tiers ?? NO_TIERS;

const NO_TIERS: readonly ContextTier[] = [];

const MINUTES_PER_DAY = 1_440;
const MS_PER_MINUTE = 60_000;

/** The period of the price that has an instant, in milliseconds since the Unix epoch. */
export const periodAt = ({ periods }: TokenPrice, atMs: number): PricePeriod | undefined =>
  periods?.find(({ from, until, daily, days }) => {
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

const periodOf = ({ periods }: TokenPrice, name: string | undefined): PricePeriod | undefined =>
  name === undefined ? undefined : periods?.find((one) => one.name === name);

const listOf = (price: TokenPrice, name: string | undefined): TokenPriceList =>
  periodOf(price, name)?.price ?? price;

/** The price of a token of a class, or of a search, in a tier. */
export const tokenUnitPrice = (
  price: TokenPrice,
  meter: ModelMeter,
  tier: PriceTier = STANDARD,
): UnitPrice => {
  const period = periodOf(price, tier.period);
  const list = period?.price ?? price;
  if (meter === SEARCH_METER) return searchPrice(list);
  const ofPeriod = scaled(unitPriceIn(list, meter, tier), period?.percent);
  return scaled(ofPeriod, named(list.residencyPercent, tier.residency));
};

const STANDARD: PriceTier = {};

const searchPrice = ({ searchMicroUsdPerThousand = '0' }: TokenPriceList): UnitPrice => ({
  unitPriceMicroUsd: searchMicroUsdPerThousand,
  perUnits: SEARCHES_PER_PRICE,
});

const scaled = (price: UnitPrice, percent = PERCENT): UnitPrice =>
  percent === PERCENT ? price : timesPercent(price, percent);

/** A class has the first price of the tier, else of the next class: its own price goes first. */
const unitPriceIn = (
  list: TokenPriceList,
  meter: TokenMeter,
  { service, aboveInputTokens: above }: PriceTier,
): UnitPrice => {
  const tier = named(list.serviceTiers, service);
  const context = tierAt(tier?.tiers ?? list.tiers, above)?.prices;
  const ofContext = tier?.tiers ? PERCENT : tier?.percent;
  for (const candidate of candidatesOf(meter)) {
    const inContext = context?.[candidate];
    if (inContext !== undefined) return scaled(perMillion(inContext), ofContext);
    const inTier = tier?.prices[candidate];
    if (inTier !== undefined) return perMillion(inTier);
    const standard = standardPrice(list, candidate);
    if (standard !== undefined) return scaled(perMillion(standard), tier?.percent);
  }
  throw new Error(`a price without ${meter}`);
};

const perMillion = (unitPriceMicroUsd: string): UnitPrice => ({
  unitPriceMicroUsd,
  perUnits: TOKENS_PER_PRICE,
});

/** Exact: a price with a factor in percent is for a hundred times the units. */
export const timesPercent = <Price extends UnitPrice>(price: Price, percent: number): Price => ({
  ...price,
  unitPriceMicroUsd: (BigInt(price.unitPriceMicroUsd) * BigInt(percent)).toString(),
  perUnits: price.perUnits * PERCENT,
});

/** The parts of a scope that the price knows; others have the standard price. */
const knownScope = (price: TokenPrice, { service, period, residency }: PriceScope): PriceTier => {
  if (service === undefined && period === undefined && residency === undefined) return STANDARD;
  const known = periodOf(price, period);
  const list = known?.price ?? price;
  return {
    ...(service !== undefined && named(list.serviceTiers, service) && { service }),
    ...(known && { period: known.name }),
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
  const list = listOf(price, known.period);
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
): PriceLine => {
  const { unitPriceMicroUsd, perUnits } = tokenUnitPrice(price, meter, tier);
  const line = { meter, quantity, unitPriceMicroUsd, perUnits };
  return isStandard(tier) ? line : { tier, ...line };
};

const isStandard = ({ service, aboveInputTokens, period, residency }: PriceTier): boolean =>
  (service ?? aboveInputTokens ?? period ?? residency) === undefined;

/** All input tokens, of every class. */
export const inputTokensOf = (units: TokenUnits): number => {
  let sum = units.input_tokens ?? 0;
  for (const part of INPUT_PARTS) sum += units[part] ?? 0;
  return sum;
};

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
  const meters = metersOf(units);
  const lines =
    mode === 'excess'
      ? excessLines(units, price, tier, meters)
      : meters.map((meter) => lineOf(price, meter, units[meter] ?? 0, tier));
  const searches = searchLine(units[SEARCH_METER], price, scope);
  if (searches) lines.push(searches);
  return lines;
};

const metersOf = (units: TokenUnits): readonly TokenMeter[] => {
  const sides = units.output_tokens === undefined ? INPUT_ALONE : BOTH_SIDES;
  if (!hasParts(units)) return sides;
  return [...sides, ...TOKEN_PARTS.filter((part) => (units[part] ?? 0) > 0)];
};
const INPUT_ALONE: readonly TokenMeter[] = [INPUT_METER];
const BOTH_SIDES: readonly TokenMeter[] = [INPUT_METER, OUTPUT_METER];

/** Most usage has no parts. */
const hasParts = (units: TokenUnits): boolean => {
  for (const meter in units) if (meter !== INPUT_METER && meter !== OUTPUT_METER) return true;
  return false;
};

/** None where there are no searches, and where they are free. */
const searchLine = (
  searches: number | undefined,
  price: TokenPrice,
  { period }: PriceScope,
): PriceLine | undefined => {
  if (searches === undefined || searches === 0) return undefined;
  const tier = knownScope(price, period === undefined ? STANDARD : { period });
  const line = lineOf(price, SEARCH_METER, searches, tier);
  return line.unitPriceMicroUsd === '0' ? undefined : line;
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
  const lines = [heldLine(price, INPUT_METER, inputTokens, size, terms)];
  if (outputTokens !== undefined) {
    lines.push(heldLine(price, OUTPUT_METER, outputTokens, size, terms));
  }
  const line = searchLine(searches, price, terms);
  if (line) lines.push(line);
  return lines;
};

const heldLine = (
  price: TokenPrice,
  side: TokenSide,
  quantity: number,
  inputTokens: number,
  terms: TokenTerms,
): PriceLine => {
  const scope = knownScope(price, terms);
  const { classes, tiers, serviceTiers } = listOf(price, scope.period);
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
  const { unitPriceMicroUsd, perUnits } = dearest;
  return { meter: side, quantity, unitPriceMicroUsd, perUnits };
};

const reachable = (
  price: TokenPrice,
  inputTokens: number,
  scope: PriceTier,
): readonly PriceTier[] => {
  const list = listOf(price, scope.period);
  const above = tiersOf(list, scope.service).filter((one) => inputTokens > one.aboveInputTokens);
  return [scope, ...above.map(({ aboveInputTokens }) => ({ ...scope, aboveInputTokens }))];
};

/**
 * Tokens of classes that the request could not have are fresh input or plain output: its hold does
 * not cover their price.
 */
export const withoutMedia = (units: TokenUnits): TokenUnits => {
  if (!hasMedia(units)) return units;
  const left: Partial<Record<ModelMeter, number>> = {};
  for (const meter of MODEL_METERS) {
    const count = units[meter];
    if (count === undefined) continue;
    const kept = isTokenMeter(meter) && MEDIA.has(meter) ? sideOf(meter) : meter;
    left[kept] = (left[kept] ?? 0) + count;
  }
  return left;
};

const hasMedia = (units: TokenUnits): boolean => {
  for (const meter in units) if (MEDIA.has(meter)) return true;
  return false;
};
