import { Injectable } from '@nestjs/common';
import { growingCache } from '#platform/runtime/projections/growing-cache.js';

/** Images that are kept, of about 3 KB each. */
const IMAGES_MAX = 512;
/** Pixels of a module. Drawing takes time by the square of it; the page enlarges the image. */
const SCALE = 4;

/** QR codes as PNG images. Drawing one takes 5 ms of the thread, so the last ones are kept. */
@Injectable()
export class QrCodes {
  readonly #images = growingCache<Promise<Buffer>>(IMAGES_MAX);

  imageOf(text: string): Promise<Buffer> {
    const known = this.#images.get(text);
    if (known) return known;
    const drawn = draw(text);
    this.#images.set(text, drawn);
    drawn.catch(() => this.#images.delete(text));
    return drawn;
  }
}

const draw = async (text: string): Promise<Buffer> => {
  const { toBuffer } = await import('qrcode');
  return toBuffer(text, { errorCorrectionLevel: 'M', scale: SCALE });
};
