import { type ImportedModel } from '#areas/models/import-model.handler.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { nameOf } from '#platform/own-models/own-model.decider.js';
import { type ImportedModelDto } from './uploaded-models.dto.js';

export const presentImported = ({
  model,
  tensorFormats,
  chatTemplate,
}: ImportedModel): ImportedModelDto => {
  const { origin, parameters, contextTokens, bytes, sha256, price } = model;
  if (origin.kind !== 'upload') throw new TypeError(`${nameOf(model)} was not uploaded`);
  const { format, pricedAs, card } = origin;
  return {
    success: true,
    model: nameOf(model),
    format,
    parameters,
    tensor_formats: tensorFormats,
    context_length: contextTokens,
    chat_template: chatTemplate,
    bytes,
    sha256,
    priced_as: pricedAs,
    input_usd_per_mtok: toUsd(fromDecimal(price.inputMicroUsdPerMtok)),
    output_usd_per_mtok: toUsd(fromDecimal(price.outputMicroUsdPerMtok)),
    card: {
      name: card.name,
      licence: card.licence,
      source: card.source,
      base_tokenizer: card.baseTokenizer,
    },
  };
};
