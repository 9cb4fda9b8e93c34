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
  type PricesByMeter,
  ServiceTier,
  SERVICE_TIERS_MAX,
  type TokenPrice,
} from '#events/token-price.vocabulary.js';
import { toDecimal } from '#platform/kernel/money.js';
import { isAbove } from '#platform/ledger/price.js';
import { tokenUnitPrice } from '#platform/ledger/token-price.js';
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

const FIELDS = z.strictObject({
  input_usd_per_mtok: Usd,
  output_usd_per_mtok: optional,
  ...PRICES,
  tiers: Tiers,
  service_tiers: Services,
});

/** The price of a model, and whether it has one for output: embedding models need none. */
export const ModelPrice = FIELDS.transform(
  ({ tiers, service_tiers, ...written }, context): { price: TokenPrice; hasOutput: boolean } => {
    const classes = pricesOf(written, TOKEN_PARTS);
    const price: TokenPrice = {
      inputMicroUsdPerMtok: toDecimal(written.input_usd_per_mtok),
      outputMicroUsdPerMtok: toDecimal(written.output_usd_per_mtok ?? 0n),
      ...(Object.keys(classes).length > 0 && { classes }),
      ...(tiers && { tiers }),
      ...(service_tiers && { serviceTiers: service_tiers }),
    };
    for (const { path, message } of problemsOf(price)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
    return { price, hasOutput: written.output_usd_per_mtok !== undefined };
  },
);

interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** More tokens never cost less, so tiers rise, in their edges and in their prices. */
const problemsOf = (price: TokenPrice): readonly Problem[] => [
  ...problemsOfTiers(price, price.tiers ?? [], undefined, ['tiers']),
  ...Object.entries(price.serviceTiers ?? {}).flatMap(([service, { tiers }]) =>
    problemsOfTiers(price, tiers ?? [], service, ['service_tiers', service, 'tiers']),
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

/** Classes that a model charges as fresh input or output, since they have no price of their own. */
export const unpricedClasses = ({ classes = {} }: TokenPrice): readonly string[] =>
  TOKEN_PARTS.filter((part) => classes[part] === undefined).map(
    (part) => `${part} as ${sideOf(part) === INPUT_METER ? 'fresh input' : 'output'}`,
  );
