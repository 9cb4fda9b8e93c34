import { checkEmbeddings, tariffOf } from '#areas/embeddings/checked-embeddings.js';
import { readEmbeddingBody } from '#areas/embeddings/embedding-body.js';
import { chargedLinesOf, heldLinesOf, usedUnitsOf } from '#areas/embeddings/embedding.product.js';
import { type EmbeddingModels, type EmbeddingRigs } from '#areas/embeddings/ports.js';
import { numbersOf } from '#areas/embeddings/vectors.js';
import {
  type TextVectors,
  type TextVectorsOrder,
  TextVectorizer,
  type TokenLines,
  type VectorModel,
} from '#areas/vaults/text-vectors.port.js';
import { ofModel } from '#platform/ledger/price-card.js';

/** The embeddings of the catalog, with their rigs and prices, without a hold of their own. */
export class CatalogTextVectorizer extends TextVectorizer {
  constructor(
    private readonly models: EmbeddingModels,
    private readonly rigs: EmbeddingRigs,
  ) {
    super();
  }

  override model(name: string): VectorModel | undefined {
    return this.models.model(name);
  }

  override held({ model, texts }: Omit<TextVectorsOrder, 'accountId'>, atMs: number): TokenLines {
    const tariff = tariffOf(this.models, model, atMs);
    // Each request for embeddings has its own limits; the hold is for all of them.
    const boundTokens = texts.reduce(
      (sum, text) => sum + this.#check(model, [text]).boundTokens,
      0,
    );
    const { rateCardVersion } = tariff;
    return { lines: [...ofModel(model, heldLinesOf(boundTokens, tariff))], rateCardVersion };
  }

  override async embed(
    { model, accountId, texts }: TextVectorsOrder,
    signal: AbortSignal,
  ): Promise<TextVectors> {
    const { body, boundTokens: promptTokensMax } = this.#check(model, texts);
    const order = { model, accountId, body, promptTokensMax, priority: 'interactive' } as const;
    const { vectors, usage, rig } = await this.rigs.embed(order, signal);
    const unit = vectors.map((vector) => unitOf(numbersOf(vector)));
    return { vectors: unit, promptTokens: usage.promptTokens, rig };
  }

  override charged(
    model: string,
    { promptTokens, rig }: Omit<TextVectors, 'vectors'>,
    atMs: number,
  ) {
    const lines = chargedLinesOf(promptTokens, tariffOf(this.models, model, atMs));
    return ofModel(model, lines).map((line) => ({ ...line, rig }));
  }

  override used(model: string, { promptTokens, rig }: Omit<TextVectors, 'vectors'>, atMs: number) {
    return usedUnitsOf(promptTokens, tariffOf(this.models, model, atMs), rig);
  }

  override reasonOf(error: unknown) {
    return this.rigs.failureOf(error)?.reason ?? null;
  }

  #check(model: string, input: readonly string[]) {
    const read = readEmbeddingBody({ model, input, encoding_format: 'base64' });
    if ('invalid' in read) throw new TypeError(read.invalid.message);
    return checkEmbeddings(read.asked, this.models);
  }
}

/** Of length 1 whatever the model gives; all zeros for a vector without a direction. */
const unitOf = (vector: readonly number[]): Float32Array => {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length));
};
