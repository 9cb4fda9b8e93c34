import { type PriceLine, type UsedUnits } from '#events/hold.vocabulary.js';
import { type Release } from '#platform/ledger/hold.js';

export interface VectorModel {
  readonly id: string;
  /** Null where only its rig knows. */
  readonly dimensions: number | null;
}

export interface TextVectorsOrder {
  readonly model: string;
  readonly accountId: string;
  readonly texts: readonly string[];
}

export interface TextVectors {
  /** One unit vector for each text. */
  readonly vectors: readonly Float32Array[];
  readonly promptTokens: number;
  readonly rig: string;
}

/** Lines that name their model, at the prices of an instant. */
export interface TokenLines {
  readonly lines: PriceLine[];
  readonly rateCardVersion: number;
}

/** Makes the vectors of a vault. The composition root binds it to the embeddings of the catalog. */
export abstract class TextVectorizer {
  /** Undefined for a model that is absent or makes no embeddings. */
  abstract model(name: string): VectorModel | undefined;

  /**
   * The worst case of an order.
   * @throws DomainError for a model that was not on sale then, and for too many texts
   */
  abstract held(order: Omit<TextVectorsOrder, 'accountId'>, atMs: number): TokenLines;

  /** @throws what `reasonOf` explains */
  abstract embed(order: TextVectorsOrder, signal: AbortSignal): Promise<TextVectors>;

  /** Tokens as lines of a charge. */
  abstract charged(
    model: string,
    done: Omit<TextVectors, 'vectors'>,
    atMs: number,
  ): readonly PriceLine[];

  /** Tokens as units, for work that another one charges. */
  abstract used(
    model: string,
    done: Omit<TextVectors, 'vectors'>,
    atMs: number,
  ): readonly UsedUnits[];

  /** Of an error of `embed`; null for a defect. */
  abstract reasonOf(error: unknown): Release['reason'] | null;
}
