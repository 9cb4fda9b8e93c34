import { z } from 'zod';
import { ModelId, RigName } from '#events/catalog/rate-card.events.js';
import { Meter } from '#events/vocabulary.js';
import { type TokenPrice } from '#events/token-price.vocabulary.js';
import {
  type CatalogFile,
  type CatalogRig,
  type LocalModelTerms,
  type MeterPriceEntry,
  MODEL_KINDS,
  type ModelEntry,
  type ModelKind,
  QUANTIZATIONS,
} from './catalog-entry.js';
import { RigSchema } from './rig-kinds/rig.schema.js';
import { ModelPrice } from './token-price.schema.js';
import { Usd } from './usd.schema.js';

/** A rate card lists every model and is one event, which may have 1 MiB. */
export const MODELS_MAX = 2_000;
export const RIGS_MAX = 1_000;
export const METERS_MAX = 1_000;
/** Units that one price is for. */
export const UNITS_PER_PRICE_MAX = 1_000_000_000_000;
/** No embedding model has more. */
export const DIMENSIONS_MAX = 16_384;
/** Models that may answer instead of one. */
export const FALLBACKS_MAX = 8;
/** Serves local models where the catalog has no embedded rig. */
export const LOCAL_RIG = 'local-models';

const MAX_OUTPUT_DEFAULT = 4_096;
const BATCH_DISCOUNT_PERCENT_DEFAULT = 50;
const LOCAL_MAX_OUTPUT_DEFAULT = 512;

const Tokens = z.int().min(1).max(100_000_000);
const OwnedBy = z.string().min(1).max(128);

const Model = z
  .strictObject({
    id: ModelId,
    upstream_id: z.string().min(1).max(256).optional(),
    kind: z.enum(MODEL_KINDS).default('chat'),
    send_defaults: z.boolean().default(true),
    quantization: z.enum(QUANTIZATIONS).default('unknown'),
    fallbacks: z.array(ModelId).max(FALLBACKS_MAX).default([]),
    owned_by: OwnedBy,
    rigs: z.array(RigName).min(1),
    context: Tokens,
    max_output: Tokens.optional(),
    dimensions: z.int().min(1).max(DIMENSIONS_MAX).optional(),
    price: ModelPrice,
    file: z.string().min(1).optional(),
    draft: ModelId.optional(),
    charge_cancelled: z.boolean().default(true),
    created: z.int().min(0).optional(),
  })
  .refine(({ context, max_output = 0 }) => max_output <= context, {
    path: ['max_output'],
    error: 'must not be above context',
  })
  .refine(({ kind, max_output }) => kind === 'chat' || max_output === undefined, {
    path: ['max_output'],
    error: 'is for chats: other models have no output tokens',
  })
  .refine(({ kind, dimensions }) => kind === 'embedding' || dimensions === undefined, {
    path: ['dimensions'],
    error: 'is for models of kind embedding',
  })
  .refine(({ kind, price }) => kind !== 'chat' || price.hasOutput, {
    path: ['price', 'output_usd_per_mtok'],
    error: 'is missing',
  })
  .transform((model): ModelEntry => ({
    id: model.id,
    upstreamId: model.upstream_id ?? model.id,
    kind: model.kind,
    dimensions: model.dimensions ?? null,
    sendsDefaults: model.send_defaults,
    quantization: model.quantization,
    fallbacks: model.fallbacks,
    ownedBy: model.owned_by,
    rigs: model.rigs,
    contextTokens: model.context,
    maxOutputTokens: outputMaxOf(model),
    price: model.price.price,
    file: model.file ?? null,
    draft: model.draft ?? null,
    chargesCancelled: model.charge_cancelled,
    createdEpochSeconds: model.created ?? null,
  }));

const outputMaxOf = (model: {
  readonly kind: ModelKind;
  readonly context: number;
  readonly max_output?: number | undefined;
}): number =>
  model.kind !== 'chat' ? 0 : (model.max_output ?? Math.min(MAX_OUTPUT_DEFAULT, model.context));

const MeterPriceLine = z
  .strictObject({
    meter: Meter,
    usd: Usd,
    per: z.int().min(1).max(UNITS_PER_PRICE_MAX),
  })
  .transform(({ meter, usd, per }): MeterPriceEntry => ({ meter, price: usd, perUnits: per }));

const FREE: TokenPrice = { inputMicroUsdPerMtok: '0', outputMicroUsdPerMtok: '0' };

const LocalModels = z
  .strictObject({
    owned_by: OwnedBy.default('local'),
    context: Tokens.default(2_048),
    max_output: Tokens.optional(),
    price: ModelPrice.optional(),
    charge_cancelled: z.boolean().default(true),
  })
  .refine(({ context, max_output = 0 }) => max_output <= context, {
    path: ['max_output'],
    error: 'must not be above context',
  })
  .refine(({ price }) => price?.hasOutput !== false, {
    path: ['price', 'output_usd_per_mtok'],
    error: 'is missing',
  })
  .transform(({ owned_by, context, max_output, price, charge_cancelled }): LocalModelTerms => ({
    ownedBy: owned_by,
    contextTokens: context,
    maxOutputTokens: max_output ?? Math.min(LOCAL_MAX_OUTPUT_DEFAULT, context),
    price: price?.price ?? FREE,
    chargesCancelled: charge_cancelled,
  }));

/** The format of the catalog file; its output is the input of the rest of the area. */
export const CatalogFileSchema = z
  .strictObject({
    rigs: z.array(RigSchema).max(RIGS_MAX),
    models: z.array(Model).max(MODELS_MAX),
    local_models: LocalModels.prefault({}),
    meters: z.array(MeterPriceLine).max(METERS_MAX).default([]),
    batch_discount_percent: z.int().min(0).max(100).default(BATCH_DISCOUNT_PERCENT_DEFAULT),
  })
  // A transform runs only when the shape is valid; a refinement would run before.
  .transform(
    ({ rigs, models, local_models, meters, batch_discount_percent }, context): CatalogFile => {
      const reject = (path: readonly (string | number)[], message: string): void => {
        context.addIssue({ code: 'custom', path: [...path], message });
      };
      rejectRepeats(
        rigs.map(({ name }) => name),
        (index, first) => reject(['rigs', index, 'name'], `is the name of rigs[${first}] already`),
      );
      rejectRepeats(
        models.map(({ id }) => id),
        (index, first) => reject(['models', index, 'id'], `is the id of models[${first}] already`),
      );
      rejectRepeats(
        meters.map(({ meter }) => meter),
        (index, first) => reject(['meters', index, 'meter'], `is in meters[${first}] already`),
      );
      for (const [index, rig] of rigs.entries()) {
        rejectTerms(rig, models, (path, message) => reject(['rigs', index, ...path], message));
        if (rig.name !== LOCAL_RIG || rig.kind === 'embedded') continue;
        reject(['rigs', index, 'name'], 'is kept for the embedded rig of local models');
      }
      for (const [index, model] of models.entries()) {
        rejectRigs(model, rigs, (path, message) => reject(['models', index, ...path], message));
        rejectDraft(model, models, (message) => reject(['models', index, 'draft'], message));
        rejectFallbacks(model, models, (at, message) =>
          reject(['models', index, 'fallbacks', at], message),
        );
      }
      return {
        rigs,
        models,
        localModels: local_models,
        meters,
        batchDiscountPercent: batch_discount_percent,
      };
    },
  );

const rejectRepeats = (
  names: readonly string[],
  reject: (index: number, first: number) => void,
): void => {
  const firsts = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const first = firsts.get(name);
    if (first === undefined) firsts.set(name, index);
    else reject(index, first);
  }
};

/** A model names rigs that exist, each once, and a file exactly when one of them is embedded. */
const rejectRigs = (
  { rigs: names, kind, file }: ModelEntry,
  rigs: readonly CatalogRig[],
  reject: (path: readonly (string | number)[], message: string) => void,
): void => {
  rejectRepeats(names, (index) => reject(['rigs', index], 'is listed twice'));
  const kinds = new Map(rigs.map(({ name, kind }) => [name, kind]));
  for (const [index, name] of names.entries()) {
    const rig = kinds.get(name);
    if (rig === undefined) reject(['rigs', index], `names no rig of this file: ${name}`);
    else if (rig !== 'openai' && (kind === 'rerank' || kind === 'moderation')) {
      reject(['rigs', index], `must be a rig of kind openai: it serves a model of kind ${kind}`);
    }
  }
  const embedded = names.some((name) => kinds.get(name) === 'embedded');
  if (embedded && file === null) reject(['file'], 'is missing: an embedded rig serves this model');
  if (!embedded && file !== null) reject(['file'], 'is read by embedded rigs only');
};

/** A rig has terms for models that name it, each once. */
const rejectTerms = (
  rig: CatalogRig,
  models: readonly ModelEntry[],
  reject: (path: readonly (string | number)[], message: string) => void,
): void => {
  const ids = rig.kind === 'embedded' ? [] : rig.models.map(({ id }) => id);
  rejectRepeats(ids, (index) => reject(['models', index, 'id'], 'is listed twice'));
  for (const [index, id] of ids.entries()) {
    const model = models.find((one) => one.id === id);
    const at = ['models', index, 'id'];
    if (!model) reject(at, `names no model of this file: ${id}`);
    else if (!model.rigs.includes(rig.name)) reject(at, `is not served by this rig: ${id}`);
  }
};

/** A chat falls back to other chat models of the file, each once. */
const rejectFallbacks = (
  { id, kind, fallbacks }: ModelEntry,
  models: readonly ModelEntry[],
  reject: (at: number, message: string) => void,
): void => {
  rejectRepeats(fallbacks, (index) => reject(index, 'is listed twice'));
  for (const [index, name] of fallbacks.entries()) {
    const found = models.find((one) => one.id === name);
    if (kind !== 'chat') reject(index, 'is for models of kind chat');
    else if (name === id) reject(index, 'is the model itself');
    else if (!found) reject(index, `names no model of this file: ${name}`);
    else if (found.kind !== 'chat') reject(index, `names a model that answers no chats: ${name}`);
  }
};

/** A model and its draft are both files. */
const rejectDraft = (
  { file, draft }: ModelEntry,
  models: readonly ModelEntry[],
  reject: (message: string) => void,
): void => {
  if (draft === null) return;
  const found = models.find(({ id }) => id === draft);
  if (file === null) reject('is for a model with a file: an upstream drafts by itself');
  else if (!found) reject(`names no model of this file: ${draft}`);
  else if (found.file === null) reject(`names a model without a file: ${draft}`);
};
