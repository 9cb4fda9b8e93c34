import { z } from 'zod';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { rejectedFields } from '#platform/runtime/commands/rejected-request.js';
import { RIG_SORTS, type RigPreference } from './rigs/choice/rig-preference.js';

/** Names in one list of a caller's preferences. */
export const NAMES_MAX = 64;
/** Models that a request may name beside its own. */
export const MODELS_MAX = 8;

const Names = z.array(z.string().min(1).max(128)).max(NAMES_MAX).nullish();

const QUANTIZATIONS = ['int4', 'int8', 'fp4', 'fp6', 'fp8', 'fp16', 'bf16', 'fp32', 'unknown'];

/** US dollars for a million tokens; OpenRouter takes a decimal in a string, too. */
const MaxUsd = z
  .union([z.number().min(0), z.string().regex(/^\d{1,9}(\.\d{1,12})?$/)], {
    error: 'expected an amount in US dollars',
  })
  .nullish();

/** `partition: model` sorts the rigs of each model, as here; `none` would mix the models. */
const Sort = z.union([
  z.enum(RIG_SORTS),
  z
    .strictObject({ by: z.enum(RIG_SORTS), partition: z.literal('model').nullish() })
    .transform(({ by }) => by),
]);

/** OpenRouter's `provider`. What Quipu cannot honour is refused by its name. */
export const ProviderField = z.strictObject({
  order: Names,
  only: Names,
  ignore: Names,
  allow_fallbacks: z.boolean().nullish(),
  sort: Sort.nullish(),
  data_collection: z.enum(['allow', 'deny']).nullish(),
  zdr: z.boolean().nullish(),
  // Always so: a rig that lacks a parameter is not asked, or refuses it by its name.
  require_parameters: z.boolean().nullish(),
  quantizations: z.array(z.enum(QUANTIZATIONS)).max(QUANTIZATIONS.length).nullish(),
  max_price: z.strictObject({ prompt: MaxUsd, completion: MaxUsd, request: MaxUsd }).nullish(),
});
export type ProviderField = z.infer<typeof ProviderField>;

/** The models that a request names for the case that its own cannot answer. */
export const ModelsField = z.array(z.string().min(1).max(256)).max(MODELS_MAX);

const RoutingFields = z.object({
  provider: ProviderField.nullish(),
  models: ModelsField.nullish(),
});

export interface RoutingWishes {
  readonly preference?: RigPreference;
  /** US dollars for a million tokens; absent: any price. */
  readonly maxPrice?: { readonly prompt: number; readonly completion: number };
  /** Absent: the catalog decides. */
  readonly models?: readonly string[];
}

const NONE: RoutingWishes = {};

/**
 * What a request of any interface says about its rigs and models.
 * @throws RejectedRequestError that names the field
 */
export const routingWishesOf = ({ provider, models }: ChatBody): RoutingWishes => {
  if (provider == null && models == null) return NONE;
  const read = RoutingFields.safeParse({ provider, models });
  if (!read.success) throw rejectedFields(read.error);
  const wishes = read.data;
  const price = wishes.provider?.max_price;
  return {
    ...(wishes.provider && { preference: preferenceOf(wishes.provider) }),
    ...(price && {
      maxPrice: { prompt: usdOf(price.prompt), completion: usdOf(price.completion) },
    }),
    ...(wishes.models && { models: wishes.models }),
  };
};

const usdOf = (amount: string | number | null | undefined): number =>
  amount == null ? Infinity : Number(amount);

const preferenceOf = (field: ProviderField): RigPreference => ({
  order: field.order ?? [],
  only: field.only ?? null,
  ignore: field.ignore ?? [],
  sort: field.sort ?? null,
  quantizations: field.quantizations ?? null,
  deniesCollection: field.data_collection === 'deny',
  deniesRetention: field.zdr === true,
  allowsFallbacks: field.allow_fallbacks !== false,
});
