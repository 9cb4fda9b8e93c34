import { ImageCaptureEvidence, ImageHoldEvidence } from '#events/images/image.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

/** Pixels of the network, once for each step. */
export const STEPS_METER = 'image_pixel_steps';
/** Pixels of the file. */
export const PIXELS_METER = 'image_pixels';
export const UPSTREAM_METER = 'upstream_images';

/** Pictures of a request. */
export const imageProduct = defineProduct({
  purpose: 'images',
  group: 'inference',
  paced: true,
  title: 'Pictures',
  meters: {
    [STEPS_METER]: 'pixels of the embedded network, once for each step of a picture',
    [PIXELS_METER]: 'pixels of pictures as they are delivered',
    [UPSTREAM_METER]: 'pictures of other servers',
  },
  holdEvidence: ImageHoldEvidence,
  captureEvidence: ImageCaptureEvidence,
});
