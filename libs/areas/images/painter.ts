import { type Picture } from '#platform/pictures/picture.js';
import { type ImagesAsked } from './image-body.js';

export interface PaintOrder {
  readonly accountId: string;
  readonly asked: ImagesAsked;
  /** A PNG file to start from; null: from noise. */
  readonly start: Uint8Array | null;
}

/** A picture before its claim. */
export interface Painted {
  /** `embedded:<name>@<SHA-256 of the weights>`, or `upstream:<kind>`. */
  readonly engine: string;
  /** Null where the upstream states none. */
  readonly revisedPrompt: string | null;
  /** Null where the upstream decides. */
  readonly seed: number | null;
  /** Pixels that are still to be resampled, or the file of an upstream. */
  readonly made: Picture | { readonly file: Uint8Array };
}

/** Makes the pictures of a request. */
export interface Painter {
  readonly engine: string;
  /** The name of the model that answers. */
  readonly model: string;
  readonly isEmbedded: boolean;
  /** Whether pictures are resampled here, and from how many pixels of a side. */
  readonly side: number | null;
  /** @throws DomainError for a field that it does not have */
  check(order: PaintOrder): void;
  /** One after the other. @throws ImagesError; the reason of the signal */
  paint(order: PaintOrder, signal: AbortSignal): AsyncIterable<Painted>;
}
