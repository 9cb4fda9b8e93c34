import { type Catalog } from '#areas/catalog/catalog.js';
import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { type RateCardFound } from '#areas/catalog/rate-card.handler.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { nameOf, type OwnModel } from '#platform/own-models/own-model.decider.js';
import { type ListedModel } from '#platform/runtime/areas/model-source.js';
import { type ModelDto } from './models.dto.js';
import { type RatesDto } from './rates.dto.js';

export const presentModel = ({
  id,
  createdEpochSeconds,
  ownedBy,
}: CatalogModel): Readonly<ModelDto> => ({
  id,
  object: 'model',
  created: createdEpochSeconds,
  owned_by: ownedBy,
});

/** A model that belongs to the account, which is the first part of its name. */
export const presentOwnModel = (model: OwnModel): Readonly<ModelDto> => ({
  id: nameOf(model),
  object: 'model',
  created: Math.floor(Date.parse(model.registeredAt) / 1_000),
  owned_by: model.accountId,
});

/** A model that an area names. */
export const presentAreaModel = ({
  id,
  createdEpochSeconds,
  ownedBy,
  endpoints,
}: ListedModel): Readonly<ModelDto> => ({
  id,
  object: 'model',
  created: createdEpochSeconds,
  owned_by: ownedBy,
  ...(endpoints.length > 0 && { endpoints }),
});

/** Prices come from the card, other fields from the current catalog. */
export const presentRates = (
  { card, position }: RateCardFound,
  catalog: Catalog,
): Readonly<RatesDto> => {
  const kinds = new Map(catalog.rigs().map(({ name, kind }) => [name, kind]));
  return {
    success: true,
    currency: 'USD',
    rate_card: {
      version: card.version,
      effective_from: card.effectiveFrom,
      published_at: card.publishedAt,
      source_sha256: card.sourceSha256,
      batch_discount_percent: card.batchDiscountPercent,
    },
    models: card.models.map(({ modelId, inputMicroUsdPerMtok, outputMicroUsdPerMtok }) => {
      const model = catalog.model(modelId);
      return {
        id: modelId,
        owned_by: model?.ownedBy ?? null,
        input_usd_per_mtok: toUsd(fromDecimal(inputMicroUsdPerMtok)),
        output_usd_per_mtok: toUsd(fromDecimal(outputMicroUsdPerMtok)),
        context: model?.contextTokens ?? null,
        max_output: model?.maxOutputTokens ?? null,
      };
    }),
    compute: card.compute.map(({ rig, microUsdPerHour }) => ({
      rig,
      kind: kinds.get(rig) ?? null,
      hourly_usd: toUsd(fromDecimal(microUsdPerHour)),
    })),
    meters: card.meters.map(({ meter, unitPriceMicroUsd, perUnits }) => ({
      meter,
      usd: toUsd(fromDecimal(unitPriceMicroUsd)),
      per: perUnits,
    })),
    position: position.toString(),
  };
};
