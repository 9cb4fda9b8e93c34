import { Arena, type Plane } from '../../image-diffusion/network/arena.js';
import { Product, tapsAround } from '../../image-diffusion/network/layers.js';
import { type NamedTensors } from '#platform/safetensors/safetensors.js';

/** Pixels of a side of the network's input. */
export const DETECTOR_SIDE = 64;
/** Four by four pixels of three colours are one cell. */
export const CELL = 4;
export const CELLS = DETECTOR_SIDE / CELL;
export const SHAPES = 8;
export const COLOURS = 12;
/** A heat of each shape, a score of each colour, the centre within its cell, the size. */
export const OUTPUTS = SHAPES + COLOURS + 4;

const INPUT = 3 * CELL * CELL;
const WIDTH = 32;
const BLOCKS = 2;
/** Of weights and planes. */
const MEMORY_FLOATS = 300_000;

/** The network of `tools/models/vision/network.py`, its normalizations folded. */
export class Detector {
  readonly #arena = new Arena(MEMORY_FLOATS);
  readonly #input: Product;
  readonly #blocks: readonly { readonly conv1: Product; readonly conv2: Product }[];
  readonly #output: Product;
  readonly #picture: Plane;
  readonly #x: Plane;
  readonly #padded: Plane;
  readonly #hidden: Plane;
  readonly #result: Plane;

  /** @throws Error for weights of another network */
  constructor(weights: NamedTensors) {
    const arena = this.#arena;
    const taps = tapsAround(CELLS);
    this.#input = new Product(arena, weights, 'input', taps);
    this.#blocks = Array.from({ length: BLOCKS }, (_, at) => ({
      conv1: new Product(arena, weights, `blocks.${at}.conv1`, taps),
      conv2: new Product(arena, weights, `blocks.${at}.conv2`, taps),
    }));
    this.#output = new Product(arena, weights, 'output');
    if (this.#input.inputs !== INPUT || this.#output.outputs !== OUTPUTS) {
      throw new Error('the weights are of another detector');
    }
    this.#picture = arena.plane(CELLS, INPUT, 1);
    this.#x = arena.plane(CELLS, WIDTH, 0);
    this.#padded = arena.plane(CELLS, WIDTH, 1);
    this.#hidden = arena.plane(CELLS, WIDTH, 0);
    this.#result = arena.plane(CELLS, OUTPUTS, 0);
  }

  /**
   * `OUTPUTS` numbers for each cell, row by row.
   * @param pixels `DETECTOR_SIDE` rows of red, green and blue between 0 and 1
   */
  run(pixels: Float32Array): Float32Array {
    this.#write(pixels);
    this.#input.overPlane(this.#picture, this.#x);
    rectify(this.#x.floats);
    for (const { conv1, conv2 } of this.#blocks) {
      copyInside(this.#x, this.#padded);
      conv1.overPlane(this.#padded, this.#hidden);
      rectify(this.#hidden.floats);
      copyInside(this.#hidden, this.#padded);
      conv2.overPlane(this.#padded, this.#hidden);
      for (let at = 0; at < this.#x.floats.length; at += 1) {
        const sum = (this.#x.floats[at] ?? 0) + (this.#hidden.floats[at] ?? 0);
        this.#x.floats[at] = Math.max(0, sum);
      }
    }
    this.#output.overPlane(this.#x, this.#result);
    return this.#result.floats.slice();
  }

  /** The numbers of a cell are by colour, then row, then column. */
  #write(pixels: Float32Array): void {
    const { floats, side, channels } = this.#picture;
    for (let y = 0; y < DETECTOR_SIDE; y += 1) {
      const row = (Math.floor(y / CELL) + 1) * (side + 2);
      for (let x = 0; x < DETECTOR_SIDE; x += 1) {
        const place = (row + Math.floor(x / CELL) + 1) * channels;
        const within = (y % CELL) * CELL + (x % CELL);
        for (let colour = 0; colour < 3; colour += 1) {
          const value = pixels[(y * DETECTOR_SIDE + x) * 3 + colour] ?? 0;
          floats[place + colour * CELL * CELL + within] = 2 * value - 1;
        }
      }
    }
  }
}

const rectify = (floats: Float32Array): void => {
  for (let at = 0; at < floats.length; at += 1) floats[at] = Math.max(0, floats[at] ?? 0);
};

const copyInside = (from: Plane, to: Plane): void => {
  const rowLength = from.side * from.channels;
  for (let row = 0; row < from.side; row += 1) {
    const at = ((row + 1) * (to.side + 2) + 1) * to.channels;
    to.floats.set(from.floats.subarray(row * rowLength, (row + 1) * rowLength), at);
  }
};
