import { CHANNELS, PATCH, PICTURE_LENGTH, SIDE } from '../network/denoiser.js';

/** Bytes of a picture: red, green and blue of each pixel, row by row. */
export const PIXEL_BYTES = 3 * SIDE * SIDE;

const ROW = SIDE / PATCH;
const COLOURS = 3;

/** Calls with the index of a byte and the index of its number in the network. */
const eachByte = (visit: (byte: number, number: number) => void): void => {
  for (let y = 0; y < SIDE; y += 1) {
    for (let x = 0; x < SIDE; x += 1) {
      const place = Math.floor(y / PATCH) * ROW + Math.floor(x / PATCH);
      const within = (y % PATCH) * PATCH + (x % PATCH);
      for (let colour = 0; colour < COLOURS; colour += 1) {
        const number = place * CHANNELS + colour * PATCH * PATCH + within;
        visit((y * SIDE + x) * COLOURS + colour, number);
      }
    }
  }
};

/** @param numbers between -1 and 1 */
export const pixelsOf = (numbers: Float32Array): Uint8ClampedArray => {
  const pixels = new Uint8ClampedArray(PIXEL_BYTES);
  eachByte((byte, number) => {
    pixels[byte] = Math.round(((numbers[number] ?? 0) + 1) * 127.5);
  });
  return pixels;
};

export const numbersOf = (pixels: ArrayLike<number>): Float32Array => {
  const numbers = new Float32Array(PICTURE_LENGTH);
  eachByte((byte, number) => {
    numbers[number] = (pixels[byte] ?? 0) / 127.5 - 1;
  });
  return numbers;
};
