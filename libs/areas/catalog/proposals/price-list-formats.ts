import { type PriceListFormat as PriceListFormatName } from '#events/catalog/rate-card.events.js';
import {
  type ListedRow,
  type PriceDraft,
  type PriceField,
  priceOfRow,
  SEARCH_FIELD,
  UnmappedPriceError,
} from './listed-price.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** One format of price lists. */
export interface PriceListFormat {
  readonly name: PriceListFormatName;
  matches(list: JsonObject): boolean;
  rows(list: JsonObject): readonly ListedRow[];
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectsIn = (value: unknown): readonly (readonly [string, JsonObject])[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([key, one]) => (isObject(one) ? [[key, one] as const] : []))
    : [];

const isCost = (value: unknown): boolean => value !== undefined && value !== null && value !== 0;

type Fields = Readonly<Record<string, PriceField>>;

const setAll = (draft: PriceDraft, fields: Fields, prices: JsonObject, above?: number): void => {
  for (const [name, field] of Object.entries(fields)) draft.set(name, field, prices[name], above);
};

const edgeOf = (name: string, value: unknown): number => {
  if (Number.isSafeInteger(value) && Number(value) > 0) return Number(value);
  throw new UnmappedPriceError(`${name}: expected a number of tokens`);
};

const noteOthers = (
  draft: PriceDraft,
  known: (name: string) => boolean,
  prices: JsonObject,
): void => {
  for (const [name, value] of Object.entries(prices)) {
    if (known(name) || !isCost(value) || Number(value) === 0) continue;
    draft.note(`${name} has no field here: ${JSON.stringify(value).slice(0, 100)}`);
  }
};

const MODELS_DEV: Fields = {
  input: 'input_usd_per_mtok',
  output: 'output_usd_per_mtok',
  reasoning: 'reasoning_usd_per_mtok',
  cache_read: 'cache_read_usd_per_mtok',
  cache_write: 'cache_write_5m_usd_per_mtok',
  input_audio: 'audio_input_usd_per_mtok',
  output_audio: 'audio_output_usd_per_mtok',
};
const DERIVED_EDGE = 200_000;

/** `{provider: {id, models: {id: {cost}}}}`, in dollars for a million tokens. */
const modelsDev: PriceListFormat = {
  name: 'models.dev',
  matches: (list) => objectsIn(list).some(([, provider]) => isObject(provider['models'])),
  rows: (list) =>
    objectsIn(list).flatMap(([provider, { models }]) =>
      objectsIn(models).map(([id, model]) => ({
        names: [`${provider}/${id}`, id],
        provider,
        price: priceOfRow('million_tokens', (draft) => readModelsDev(draft, model)),
      })),
    ),
};

const readModelsDev = (draft: PriceDraft, { cost, experimental }: JsonObject): void => {
  if (!isObject(cost)) throw new UnmappedPriceError('has no cost');
  setAll(draft, MODELS_DEV, cost);
  const { tiers, context_over_200k: above200k } = cost;
  if (Array.isArray(tiers)) {
    for (const one of tiers as readonly unknown[]) {
      const tier = isObject(one) && isObject(one['tier']) ? one['tier'] : {};
      if (!isObject(one) || tier['type'] !== 'context') {
        throw new UnmappedPriceError('tiers: expected tiers by context');
      }
      setAll(draft, MODELS_DEV, one, edgeOf('tiers', tier['size']));
    }
  } else if (isObject(above200k)) {
    setAll(draft, MODELS_DEV, above200k, DERIVED_EDGE);
  }
  const known = (name: string): boolean =>
    name in MODELS_DEV || name === 'tiers' || name === 'context_over_200k';
  noteOthers(draft, known, cost);
  if (isObject(experimental)) draft.note('experimental prices are left out');
};

const OPEN_ROUTER: Fields = {
  prompt: 'input_usd_per_mtok',
  completion: 'output_usd_per_mtok',
  input_cache_read: 'cache_read_usd_per_mtok',
  input_cache_write: 'cache_write_5m_usd_per_mtok',
  input_cache_write_1h: 'cache_write_1h_usd_per_mtok',
  internal_reasoning: 'reasoning_usd_per_mtok',
  audio: 'audio_input_usd_per_mtok',
  audio_output: 'audio_output_usd_per_mtok',
  input_audio_cache: 'cache_read_audio_usd_per_mtok',
  image_token: 'image_input_usd_per_mtok',
  image_output: 'image_output_usd_per_mtok',
  web_search: SEARCH_FIELD,
};

/** `{data: [{id, pricing}]}`, in dollars for a token, as text. */
const openRouter: PriceListFormat = {
  name: 'openrouter',
  matches: ({ data }) =>
    Array.isArray(data) && data.some((one) => isObject(one) && isObject(one['pricing'])),
  rows: ({ data }) =>
    (Array.isArray(data) ? (data as readonly unknown[]) : []).flatMap((model) => {
      if (!isObject(model) || typeof model['id'] !== 'string') return [];
      const { id, pricing } = model;
      const price = priceOfRow('token', (draft) => readOpenRouter(draft, pricing));
      return [{ names: [id], provider: 'openrouter', price }];
    }),
};

const readOpenRouter = (draft: PriceDraft, pricing: unknown): void => {
  if (!isObject(pricing)) throw new UnmappedPriceError('has no pricing');
  if (Object.values(pricing).some((price) => Number(price) === -1)) {
    throw new UnmappedPriceError('has a price that depends on the model behind it');
  }
  setAll(draft, OPEN_ROUTER, pricing);
  const { overrides } = pricing;
  for (const one of Array.isArray(overrides) ? (overrides as readonly unknown[]) : []) {
    if (!isObject(one)) throw new UnmappedPriceError('overrides: expected objects');
    if (isCost(one['utc_start']) || isCost(one['utc_end'])) {
      draft.note('prices of a time of day are left out');
    } else {
      setAll(draft, OPEN_ROUTER, one, edgeOf('overrides', one['min_prompt_tokens']));
    }
  }
  noteOthers(draft, (name) => name in OPEN_ROUTER || name === 'overrides', pricing);
};

const LITE_LLM: Fields = {
  input_cost_per_token: 'input_usd_per_mtok',
  output_cost_per_token: 'output_usd_per_mtok',
  cache_read_input_token_cost: 'cache_read_usd_per_mtok',
  cache_creation_input_token_cost: 'cache_write_5m_usd_per_mtok',
  cache_creation_input_token_cost_above_1hr: 'cache_write_1h_usd_per_mtok',
  output_cost_per_reasoning_token: 'reasoning_usd_per_mtok',
  input_cost_per_audio_token: 'audio_input_usd_per_mtok',
  output_cost_per_audio_token: 'audio_output_usd_per_mtok',
  cache_read_input_audio_token_cost: 'cache_read_audio_usd_per_mtok',
  input_cost_per_image_token: 'image_input_usd_per_mtok',
  output_cost_per_image_token: 'image_output_usd_per_mtok',
};
const EDGE = /_above_(\d{1,4})k_tokens/;
const SERVICE = /_(flex|priority|batches)(?=_above_|$)/;
const SERVICES: Readonly<Record<string, string>> = { batches: 'batch' };
const THOUSAND = 1_000;

/** A flat map of names, in dollars for a token. */
const liteLlm: PriceListFormat = {
  name: 'litellm',
  matches: (list) => objectsIn(list).some(([, model]) => 'litellm_provider' in model),
  rows: (list) =>
    objectsIn(list)
      .filter(([name]) => name !== 'sample_spec')
      .map(([name, model]) => {
        const { litellm_provider: stated } = model;
        const provider = typeof stated === 'string' ? stated : '';
        const bare = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
        return {
          names: bare === name ? [name, `${provider}/${name}`] : [name, bare],
          provider,
          price: priceOfRow('token', (draft) => readLiteLlm(draft, model)),
        };
      }),
};

const readLiteLlm = (draft: PriceDraft, model: JsonObject): void => {
  for (const [name, value] of Object.entries(model)) {
    if (!name.includes('cost') || !isCost(value)) continue;
    const edge = EDGE.exec(name)?.[1];
    const service = SERVICE.exec(name)?.[1];
    const field = LITE_LLM[name.replace(EDGE, '').replace(SERVICE, '')];
    const above = edge === undefined ? undefined : Number(edge) * THOUSAND;
    if (!field) draft.note(`${name} has no field here: ${JSON.stringify(value).slice(0, 100)}`);
    else if (service === undefined) draft.set(name, field, value, above);
    else draft.service(SERVICES[service] ?? service).set(name, field, value, above);
  }
  // A free model states its zeros.
  for (const side of ['input_cost_per_token', 'output_cost_per_token'] as const) {
    if (model[side] === 0) draft.set(side, LITE_LLM[side] ?? 'input_usd_per_mtok', 0);
  }
};

export const PRICE_LIST_FORMATS: readonly PriceListFormat[] = [openRouter, modelsDev, liteLlm];
