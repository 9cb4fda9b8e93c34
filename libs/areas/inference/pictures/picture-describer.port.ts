import { type PriceLine } from '#events/hold.vocabulary.js';

/** The words for a picture of a chat. */
export interface DescribedPicture {
  /** The detector that looked. */
  readonly engine: string;
  readonly text: string;
}

/** Characters of a description, in ASCII. */
export const DESCRIPTION_LENGTH_MAX = 600;

/**
 * Describes pictures for models that read text alone. The class is the injection token; without a
 * provider such models take no pictures.
 */
export abstract class PictureDescriber {
  /** @throws DomainError where this installation has no price for them */
  abstract linesOf(pictures: number, atMs: number): PriceLine[];

  /**
   * @param file a PNG file
   * @throws PictureError for a file that cannot be read; a failure of the area that looks
   */
  abstract describe(
    accountId: string,
    file: Uint8Array,
    signal: AbortSignal,
  ): Promise<DescribedPicture>;
}
