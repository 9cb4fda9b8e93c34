import { DomainError } from '#platform/kernel/domain-error.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';
import { type InferenceErrorCode } from './inference.errors.js';
import { type ModelCatalog, type ServedModel } from './ports.js';

/**
 * A model that answers chats. One of the catalog that answers none is of another kind.
 * @param accountId also finds the models that belong to this account
 * @throws DomainError `model_not_found`
 */
export const chatModel = (catalog: ModelCatalog, id: string, accountId?: string): ServedModel => {
  const model = catalog.model(id, accountId);
  if (model) return model;
  const isKnown = catalog.idOf(id) !== undefined;
  const fault = isKnown ? `the model ${id} is not a chat model` : `there is no model ${id}`;
  throw new DomainError<InferenceErrorCode>('model_not_found', `${fault}; see GET /v1/models`);
};

/** @throws DomainError `model_not_found` for a model that was not on sale at the instant */
export const tariffOf = (catalog: ModelCatalog, id: string, atMs: number): TokenTariff =>
  TokenTariff.at(catalog, id, atMs) ?? unpriced(id);

const unpriced = (id: string): never => {
  const detail = `the model ${id} has no price; see GET /v1/models`;
  throw new DomainError<InferenceErrorCode>('model_not_found', detail);
};
