import { z } from 'zod';
import {
  INPUT_METER,
  OUTPUT_METER,
  sideOf,
  type TokenMeter,
  TOKEN_METERS,
  TOKEN_PARTS,
} from '#events/token-meters.js';
import {
  type ContextTier,
  CONTEXT_TIERS_MAX,
  PRICE_PERIODS_MAX,
  type PricePeriod,
  type PricesByMeter,
  Residency,
  RESIDENCIES_MAX,
  ServiceTier,
  SERVICE_TIERS_MAX,
  TimeOfDay,
  type TokenPrice,
  type TokenPriceList,
} from '#events/token-price.vocabulary.js';
import { WEEKDAYS } from '#events/weekdays.js';
import { toDecimal } from '#platform/kernel/money.js';
import { isAbove } from '#platform/ledger/price.js';
import { candidatesOf, tokenUnitPrice } from '#platform/ledger/token-price.js';
import { Usd } from './usd.schema.js';

/** The field of the catalog for the price of each class of tokens. */
export const PRICE_FIELDS = {
  input_tokens: 'input_usd_per_mtok',
  output_tokens: 'output_usd_per_mtok',
  cache_read_tokens: 'cache_read_usd_per_mtok',
  cache_write_5m_tokens: 'cache_write_5m_usd_per_mtok',
  cache_write_30m_tokens: 'cache_write_30m_usd_per_mtok',
  cache_write_1h_tokens: 'cache_write_1h_usd_per_mtok',
  audio_input_tokens: 'audio_input_usd_per_mtok',
  cache_read_audio_tokens: 'cache_read_audio_usd_per_mtok',
  image_input_tokens: 'image_input_usd_per_mtok',
  reasoning_tokens: 'reasoning_usd_per_mtok',
  audio_output_tokens: 'audio_output_usd_per_mtok',
  image_output_tokens: 'image_output_usd_per_mtok',
} as const satisfies Readonly<Record<TokenMeter, string>>;

const optional = Usd.optional();
const PRICES = {
  cache_read_usd_per_mtok: optional,
  cache_write_5m_usd_per_mtok: optional,
  cache_write_30m_usd_per_mtok: optional,
  cache_write_1h_usd_per_mtok: optional,
  audio_input_usd_per_mtok: optional,
  cache_read_audio_usd_per_mtok: optional,
  image_input_usd_per_mtok: optional,
  reasoning_usd_per_mtok: optional,
  audio_output_usd_per_mtok: optional,
  image_output_usd_per_mtok: optional,
};
const ALL_PRICES = { input_usd_per_mtok: optional, output_usd_per_mtok: optional, ...PRICES };

type Written = Readonly<Partial<Record<(typeof PRICE_FIELDS)[TokenMeter], bigint | undefined>>>;

const pricesOf = (written: Written, meters: readonly TokenMeter[]): PricesByMeter =>
  Object.fromEntries(
    meters.flatMap((meter) => {
      const price = written[PRICE_FIELDS[meter]];
      return price === undefined ? [] : [[meter, toDecimal(price)]];
    }),
  );

const Tier = z
  .strictObject({
    above_input_tokens: z.int().min(1).max(100_000_000),
    mode: z.enum(['whole', 'excess']).default('whole'),
    ...ALL_PRICES,
  })
  .transform(({ above_input_tokens, mode, ...written }): ContextTier => ({
    aboveInputTokens: above_input_tokens,
    mode,
    prices: pricesOf(written, TOKEN_METERS),
  }));
const Tiers = z.array(Tier).max(CONTEXT_TIERS_MAX).optional();

const Service = z
  .strictObject({ percent: z.int().min(1).max(1_000).default(100), ...ALL_PRICES, tiers: Tiers })
  .transform(({ percent, tiers, ...written }) => ({
    percent,
    prices: pricesOf(written, TOKEN_METERS),
    ...(tiers && { tiers }),
  }));

const Services = z
  .record(ServiceTier, Service)
  .refine((services) => Object.keys(services).length <= SERVICE_TIERS_MAX, {
    error: `has more than ${SERVICE_TIERS_MAX} service tiers`,
  })
  .optional();

const Residencies = z
  .record(Residency, z.int().min(1).max(1_000))
  .refine((places) => Object.keys(places).length <= RESIDENCIES_MAX, {
    error: `has more than ${RESIDENCIES_MAX} places`,
  })
  .optional();

const LIST = {
  output_usd_per_mtok: optional,
  ...PRICES,
  tiers: Tiers,
  service_tiers: Services,
  residency_percent: Residencies,
  search_usd_per_thousand: optional,
};
type WrittenList = z.infer<z.ZodObject<typeof LIST>> & { readonly input_usd_per_mtok: bigint };

const listOf = (list: WrittenList): TokenPriceList => {
  const { tiers, service_tiers, residency_percent, search_usd_per_thousand: search } = list;
  const classes = pricesOf(list, TOKEN_PARTS);
  return {
    inputMicroUsdPerMtok: toDecimal(list.input_usd_per_mtok),
    outputMicroUsdPerMtok: toDecimal(list.output_usd_per_mtok ?? 0n),
    ...(Object.keys(classes).length > 0 && { classes }),
    ...(tiers && { tiers }),
    ...(service_tiers && { serviceTiers: service_tiers }),
    ...(residency_percent && { residencyPercent: residency_percent }),
    ...(search !== undefined && { searchMicroUsdPerThousand: toDecimal(search) }),
  };
};

/** A day, from its first millisecond in UTC, or an instant. */
const Moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'must be a date such as 2027-01-01, or an instant with its offset',
  })
  .transform((text) => new Date(text).toISOString())
  .optional();

/** Prices of their own, or a percentage of the model's prices. */
const Period = z
  .strictObject({
    name: ServiceTier,
    valid_from: Moment,
    valid_until: Moment,
    daily: z.strictObject({ from: TimeOfDay, to: TimeOfDay }).optional(),
    days: z.array(z.enum(WEEKDAYS)).min(1).max(7).optional(),
    percent: z.int().min(1).max(1_000).optional(),
    input_usd_per_mtok: optional,
    ...LIST,
  })
  .transform((written, context): PricePeriod => {
    const { name, valid_from: from, valid_until: until, daily, days, percent, ...list } = written;
    const { input_usd_per_mtok: input } = list;
    const problem = (field: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [field], message });
    };
    if (!(from ?? until ?? daily ?? days)) {
      problem('valid_from', 'or valid_until, daily or days must say when the prices hold');
    }
    if (from !== undefined && until !== undefined && until <= from) {
      problem('valid_until', 'must be after valid_from');
    }
    const hasPrices = Object.values(list).some((value) => value !== undefined);
    if (hasPrices && percent !== undefined) {
      problem('percent', 'is for a period without prices of its own');
    }
    if (hasPrices ? input === undefined : percent === undefined) {
      problem('input_usd_per_mtok', 'must be there, or percent without any price');
    }
    return {
      name,
      ...(from !== undefined && { from }),
      ...(until !== undefined && { until }),
      ...(daily && { daily: { from: daily.from, until: daily.to } }),
      ...(days && { days }),
      percent: percent ?? 100,
      ...(input !== undefined && { price: listOf({ ...list, input_usd_per_mtok: input }) }),
    };
  });

const FIELDS = z.strictObject({
  input_usd_per_mtok: Usd,
  ...LIST,
  periods: z.array(Period).max(PRICE_PERIODS_MAX).optional(),
});

/** The price of a model, and whether it has one for output: only chats need one. */
export const ModelPrice = FIELDS.transform(
  ({ periods, ...list }, context): { price: TokenPrice; hasOutput: boolean } => {
    const price: TokenPrice = { ...listOf(list), ...(periods && { periods }) };
    for (const { path, message } of problemsOf(price)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
    return { price, hasOutput: list.output_usd_per_mtok !== undefined };
  },
);

interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Each period is named once, and more tokens never cost less in any of them. */
const problemsOf = (price: TokenPrice): readonly Problem[] => [
  ...problemsOfList(price, []),
  ...(price.periods ?? []).flatMap(({ name, price: own }, index, all): readonly Problem[] => {
    const path = ['periods', index];
    const isTwice = all.findIndex((one) => one.name === name) < index;
    return [
      ...(isTwice ? [{ path: [...path, 'name'], message: 'is the name of another period' }] : []),
      ...(own ? problemsOfList(own, path) : []),
    ];
  }),
];

/** More tokens never cost less, so tiers rise, in their edges and in their prices. */
const problemsOfList = (price: TokenPriceList, path: Problem['path']): readonly Problem[] => [
  ...problemsOfTiers(price, price.tiers ?? [], undefined, [...path, 'tiers']),
  ...Object.entries(price.serviceTiers ?? {}).flatMap(([service, { tiers }]) =>
    problemsOfTiers(price, tiers ?? [], service, [...path, 'service_tiers', service, 'tiers']),
  ),
];

const problemsOfTiers = (
  price: TokenPrice,
  tiers: readonly ContextTier[],
  service: string | undefined,
  path: Problem['path'],
): readonly Problem[] =>
  tiers.flatMap((tier, index) => {
    const before = tiers[index - 1];
    const at = [...path, index];
    if (before && (tier.mode === 'excess' || before.mode === 'excess')) {
      return [{ path: [...at, 'mode'], message: 'excess is for a price with one tier' }];
    }
    if (before && before.aboveInputTokens >= tier.aboveInputTokens) {
      return [{ path: [...at, 'above_input_tokens'], message: 'must be above the tier before it' }];
    }
    const named = service === undefined ? {} : { service };
    const earlier = before ? { ...named, aboveInputTokens: before.aboveInputTokens } : named;
    const later = { ...named, aboveInputTokens: tier.aboveInputTokens };
    return TOKEN_METERS.flatMap((meter): readonly Problem[] => {
      const field = [...at, PRICE_FIELDS[meter]];
      if (tier.mode === 'excess' && sideOf(meter) === OUTPUT_METER && meter in tier.prices) {
        return [{ path: field, message: 'is for input: a tier on the excess prices no output' }];
      }
      const falls = isAbove(
        tokenUnitPrice(price, meter, earlier),
        tokenUnitPrice(price, meter, later),
      );
      return falls ? [{ path: field, message: 'must not be below the price of less input' }] : [];
    });
  });

/** The classes without a price of their own, and what they are charged as. */
export const unpricedClasses = ({ classes = {} }: TokenPrice): readonly string[] =>
  TOKEN_PARTS.filter((part) => classes[part] === undefined).map((part) => {
    const [as = SIDES[sideOf(part)]] = candidatesOf(part).filter((meter) => classes[meter]);
    return `${part} as ${as}`;
  });

const SIDES = { [INPUT_METER]: 'fresh input', [OUTPUT_METER]: 'output' } as const;
