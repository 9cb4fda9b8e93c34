import { type PriceLine } from '#events/hold.vocabulary.js';
import { meterPrice, type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
import { type ImagesAsked } from './image-body.js';
import { PIXELS_METER, STEPS_METER, UPSTREAM_METER } from './image.product.js';
import { reject } from './images.errors.js';
import { IMAGE_SIDE } from './images.engine.js';

export interface ImagePrices {
  readonly rateCardVersion: number;
  /** Of this number of the pictures. */
  linesOf(pictures: number): PriceLine[];
}

/** @throws DomainError `images_not_priced` where the rate card lacks a meter */
export const pricesOf = (
  list: MeterPriceList | undefined,
  { steps, size }: Pick<ImagesAsked, 'steps' | 'size'>,
  isEmbedded: boolean,
): ImagePrices => {
  const perPicture: readonly (readonly [string, number])[] = isEmbedded
    ? [
        [STEPS_METER, steps * IMAGE_SIDE * IMAGE_SIDE],
        [PIXELS_METER, size.width * size.height],
      ]
    : [[UPSTREAM_METER, 1]];
  const priced = perPicture.map(([meter, quantity]) => {
    const price = meterPrice(list, meter, (detail) => reject('images_not_priced', detail));
    return { quantity, price };
  });
  return {
    rateCardVersion: list?.rateCardVersion ?? 0,
    linesOf: (pictures) => priced.map(({ quantity, price }) => price.lineOf(pictures * quantity)),
  };
};
