import { TokenTariff } from '#platform/chats/token-tariff.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type EmbeddingAsked, type EmbeddingInput, REQUEST_TOKENS_MAX } from './embedding-body.js';
import { type EmbeddingsErrorCode } from './embeddings.errors.js';
import { type EmbeddingModel, type EmbeddingModels, type RigOrder } from './ports.js';

/** Embeddings that may run. */
export interface CheckedEmbeddings {
  readonly asked: EmbeddingAsked;
  readonly model: EmbeddingModel;
  /** An upper bound on the tokens of all inputs. */
  readonly boundTokens: number;
  /** The body for the rigs. */
  readonly body: RigOrder['body'];
}

/** The most tokens that a model puts around an input. */
const TOKENS_PER_INPUT = 4;

/** A token of a text has at least one byte of it. */
const boundOf = (input: EmbeddingInput, { contextTokens }: EmbeddingModel): number => {
  const size = typeof input === 'string' ? Buffer.byteLength(input) : input.length;
  return Math.min(size + TOKENS_PER_INPUT, contextTokens);
};

/**
 * Checks what needs no rig.
 * @throws DomainError of the area
 */
export const checkEmbeddings = (
  asked: EmbeddingAsked,
  models: EmbeddingModels,
): CheckedEmbeddings => {
  const model = models.model(asked.model) ?? unknownModel(asked.model, models);
  const { dimensions } = asked;
  if (dimensions !== null && model.dimensions !== null && dimensions > model.dimensions) {
    const detail = `dimensions: ${model.id} has ${model.dimensions}, and may be cut to fewer only`;
    throw new DomainError<EmbeddingsErrorCode>('dimensions_out_of_range', detail);
  }
  const boundTokens = asked.inputs.reduce((sum, input) => sum + boundOf(input, model), 0);
  if (asked.inputs.length > 1 && leastTokens(asked.inputs) > REQUEST_TOKENS_MAX) {
    const detail = `input: the inputs have over ${REQUEST_TOKENS_MAX} tokens; split the request`;
    throw new DomainError<EmbeddingsErrorCode>('embedding_inputs_too_long', detail);
  }
  const body = { ...asked.body, model: model.upstreamId, input: asked.inputs };
  return { asked, model, boundTokens, body };
};

/** Of token arrays exactly, of texts at 8 bytes a token: no fewer than a model would count. */
const BYTES_PER_TOKEN = 8;

const leastTokens = (inputs: readonly EmbeddingInput[]): number =>
  inputs.reduce(
    (sum, input) =>
      sum +
      (typeof input === 'string'
        ? Math.ceil(Buffer.byteLength(input) / BYTES_PER_TOKEN)
        : input.length),
    0,
  );

/** @throws DomainError for a model that was not on sale at the instant */
export const tariffOf = (models: EmbeddingModels, id: string, atMs: number): TokenTariff =>
  TokenTariff.at(models, id, atMs) ?? unknownModel(id, models);

/** One that has a price, and is not listed here, is of another kind. */
export const unknownModel = (id: string, models: Pick<EmbeddingModels, 'rateFor'>): never => {
  const isKnown = models.rateFor(id, Number.POSITIVE_INFINITY) !== undefined;
  const fault = isKnown ? `the model ${id} is not an embedding model` : `there is no model ${id}`;
  const detail = `${fault}; see GET /v1/models`;
  throw new DomainError<EmbeddingsErrorCode>('embedding_model_not_found', detail);
};
