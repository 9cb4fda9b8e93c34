import {
  type DescribedPicture,
  PictureDescriber,
} from '#areas/inference/pictures/picture-describer.port.js';
import { type PictureDescriptions } from '#areas/vision/picture-descriptions.js';

/** The detector of the area vision describes pictures. */
export class DetectorDescriber extends PictureDescriber {
  constructor(private readonly descriptions: PictureDescriptions) {
    super();
  }

  override linesOf(pictures: number, atMs: number) {
    return this.descriptions.linesOf(pictures, atMs);
  }

  override describe(
    accountId: string,
    file: Uint8Array,
    signal: AbortSignal,
  ): Promise<DescribedPicture> {
    return this.descriptions.describe(accountId, file, signal);
  }
}
