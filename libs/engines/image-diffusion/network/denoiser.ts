import { type NamedTensors } from '#platform/safetensors/safetensors.js';
import { Arena, type Place, type Plane } from './arena.js';
import { TILE_PLACES } from './kernels.js';
import { Normalization, Product, tapsAround, tapsOfSquare } from './layers.js';

/** Pixels of a side of the pictures that the network draws. */
export const SIDE = 32;
/** Two by two pixels of three colours are one place of the network. */
export const PATCH = 2;
export const CHANNELS = 3 * PATCH * PATCH;
export const PLACES = (SIDE / PATCH) ** 2;
/** Numbers of one picture. */
export const PICTURE_LENGTH = PLACES * CHANNELS;

const [WIDTH, DEEP, CONDITION] = [32, 64, 192];
const [GROUPS, WAVES] = [8, 32];
const [OUTER, INNER] = [SIDE / PATCH, SIDE / PATCH / 2];
/** Channels of the input with both coordinates, filled up. */
const INPUT = 16;
/** Of weights and planes: three times what the present network takes. */
const MEMORY_FLOATS = 4_000_000;

/** A time of the diffusion and the attributes that are asked for then. */
export interface Moment {
  /** 0 is the picture, 1 is noise alone. */
  readonly time: number;
  /** A number for each value of each attribute, and the last one for none. */
  readonly attributes: Float32Array;
}

/** The condition of the network at one moment. */
export interface Condition {
  /** The scales of each block, then its shifts. */
  readonly films: readonly Float32Array[];
  /** Added to the inner plane. */
  readonly layout: Float32Array;
}

interface Block {
  readonly norm1: Normalization;
  readonly conv1: Product;
  readonly film: Product;
  readonly norm2: Normalization;
  readonly conv2: Product;
  readonly skip: Product | null;
}

/**
 * The U-Net of `tools/models/images/network.py`. It predicts `alpha noise - sigma picture` of a
 * noisy picture, whose numbers are twelve for each place: by colour, then row, then column.
 */
export class Denoiser {
  readonly #arena = new Arena(MEMORY_FLOATS);
  readonly #time: Product;
  readonly #attributes: Product;
  readonly #mix: Product;
  readonly #input: Product;
  readonly #blocks: readonly Block[];
  readonly #shrink: Product;
  readonly #layout: Product;
  readonly #grow: Product;
  readonly #norm: Normalization;
  readonly #output: Product;
  readonly #rows: Readonly<Record<'waves' | 'attributes' | 'one' | 'other', Place>>;
  readonly #film: Place;
  readonly #noisy: Plane;
  readonly #outer: Readonly<Record<'x' | 'joined' | 'hidden' | 'sum', Plane>>;
  readonly #outerPadded: Readonly<Record<'narrow' | 'wide', Plane>>;
  readonly #inner: Readonly<Record<'x' | 'hidden' | 'sum' | 'grown', Plane>>;
  readonly #innerPadded: Plane;
  readonly #kept: Float32Array;
  readonly #result: Plane;

  /** @throws Error for weights of another network */
  constructor(weights: NamedTensors) {
    const arena = this.#arena;
    const outerTaps = tapsAround(OUTER);
    const block = (name: string, taps: readonly number[]): Block => ({
      norm1: new Normalization(arena, weights, `${name}.norm1`, GROUPS),
      conv1: new Product(arena, weights, `${name}.conv1`, taps),
      film: new Product(arena, weights, `${name}.film`),
      norm2: new Normalization(arena, weights, `${name}.norm2`, GROUPS),
      conv2: new Product(arena, weights, `${name}.conv2`, taps),
      skip: weights.has(`${name}.skip.weight`) ? new Product(arena, weights, `${name}.skip`) : null,
    });
    const innerTaps = tapsAround(INNER);
    this.#blocks = [
      ...[0, 1].map((at) => block(`down.${at}`, outerTaps)),
      ...[0, 1, 2].map((at) => block(`deep.${at}`, innerTaps)),
      ...[0, 1].map((at) => block(`up.${at}`, outerTaps)),
    ];
    this.#time = new Product(arena, weights, 'time');
    this.#attributes = new Product(arena, weights, 'attributes');
    this.#mix = new Product(arena, weights, 'mix');
    this.#input = new Product(arena, weights, 'input', outerTaps);
    this.#shrink = new Product(arena, weights, 'shrink', tapsOfSquare(OUTER));
    this.#layout = new Product(arena, weights, 'layout');
    this.#grow = new Product(arena, weights, 'grow');
    this.#norm = new Normalization(arena, weights, 'norm', GROUPS);
    this.#output = new Product(arena, weights, 'output', outerTaps);
    this.#rows = {
      waves: arena.take(TILE_PLACES * this.#time.inputs),
      attributes: arena.take(TILE_PLACES * this.#attributes.inputs),
      one: arena.take(TILE_PLACES * CONDITION),
      other: arena.take(TILE_PLACES * CONDITION),
    };
    this.#film = arena.take(TILE_PLACES * this.#layout.outputs);
    this.#noisy = arena.plane(OUTER, INPUT, 1);
    this.#writeCoordinates();
    this.#outer = {
      x: arena.plane(OUTER, WIDTH, 0),
      joined: arena.plane(OUTER, 2 * WIDTH, 0),
      hidden: arena.plane(OUTER, WIDTH, 0),
      sum: arena.plane(OUTER, WIDTH, 0),
    };
    this.#outerPadded = {
      narrow: arena.plane(OUTER, WIDTH, 1),
      wide: arena.plane(OUTER, 2 * WIDTH, 1),
    };
    this.#inner = {
      x: arena.plane(INNER, DEEP, 0),
      hidden: arena.plane(INNER, DEEP, 0),
      sum: arena.plane(INNER, DEEP, 0),
      grown: arena.plane(INNER, WIDTH, 0),
    };
    this.#innerPadded = arena.plane(INNER, DEEP, 1);
    this.#kept = new Float32Array(PLACES * WIDTH);
    this.#result = arena.plane(OUTER, this.#output.outputs, 0);
  }

  /** The numbers of `Moment.attributes`. */
  get attributeCount(): number {
    return this.#attributes.inputs;
  }

  /** The conditions of moments, four of which are computed together. */
  conditions(moments: readonly Moment[]): readonly Condition[] {
    const found: Condition[] = [];
    for (let start = 0; start < moments.length; start += TILE_PLACES) {
      const part = moments.slice(start, start + TILE_PLACES);
      this.#mixed(part);
      const films = this.#blocks.map(({ film }) => this.#ofRows(film));
      const layouts = this.#ofRows(this.#layout);
      part.forEach((_, row) => {
        const layout = byPlace(rowOf(layouts, row));
        found.push({ films: films.map((film) => rowOf(film, row)), layout });
      });
    }
    return found;
  }

  #ofRows(product: Product): Float32Array {
    product.run(this.#rows.other.at, 1, this.#film.at, TILE_PLACES);
    return this.#film.floats.slice(0, TILE_PLACES * product.outputs);
  }

  /** @param noisy `PICTURE_LENGTH` numbers */
  predict(noisy: Float32Array, { films, layout }: Condition): Float32Array {
    const { outer, inner } = { outer: this.#outer, inner: this.#inner };
    this.#writeInput(noisy);
    this.#input.overPlane(this.#noisy, outer.x);
    const blocks = this.#blocks.map((block, at) => ({ block, film: films[at] ?? null }));
    const { narrow, wide } = this.#outerPadded;
    for (const { block, film } of blocks.slice(0, 2)) this.#run(block, film, outer, narrow, narrow);
    this.#kept.set(outer.x.floats);
    this.#shrink.overPlane(outer.x, inner.x, 2);
    addTo(inner.x.floats, layout);
    for (const { block, film } of blocks.slice(2, 5)) {
      this.#run(block, film, inner, this.#innerPadded, this.#innerPadded);
    }
    this.#grow.overPlane(inner.x, inner.grown);
    this.#join();
    const [first, second] = blocks.slice(5);
    const joined = { x: outer.joined, hidden: outer.hidden, sum: outer.x };
    if (first) this.#run(first.block, first.film, joined, wide, narrow);
    if (second) this.#run(second.block, second.film, outer, narrow, narrow);
    this.#norm.run(outer.x, narrow, null);
    this.#output.overPlane(narrow, this.#result);
    return this.#picture();
  }

  /** Into the rows `other`: the mixed condition of each moment. */
  #mixed(moments: readonly Moment[]): void {
    const { waves, attributes, one, other } = this.#rows;
    moments.forEach((moment, row) => {
      for (let wave = 0; wave < WAVES; wave += 1) {
        const angle = moment.time * Math.PI * 2 ** ((6 * wave) / WAVES);
        waves.floats[row * 2 * WAVES + wave] = Math.sin(angle);
        waves.floats[row * 2 * WAVES + WAVES + wave] = Math.cos(angle);
      }
      attributes.floats.set(moment.attributes, row * this.#attributes.inputs);
    });
    this.#time.run(waves.at, 1, one.at, TILE_PLACES);
    this.#attributes.run(attributes.at, 1, other.at, TILE_PLACES);
    for (const [at, value] of other.floats.entries()) {
      one.floats[at] = silu((one.floats[at] ?? 0) + value);
    }
    this.#mix.run(one.at, 1, other.at, TILE_PLACES);
    for (const [at, value] of other.floats.entries()) other.floats[at] = silu(value);
  }

  /** `x` becomes `x`, or its product with `skip`, plus what the block adds. */
  #run(
    { norm1, conv1, norm2, conv2, skip }: Block,
    film: Float32Array | null,
    { x, hidden, sum }: Readonly<Record<'x' | 'hidden' | 'sum', Plane>>,
    before: Plane,
    after: Plane,
  ): void {
    norm1.run(x, before, null);
    conv1.overPlane(before, hidden);
    norm2.run(hidden, after, film);
    if (skip) {
      conv2.overPlane(after, hidden);
      skip.overPlane(x, sum);
      addTo(sum.floats, hidden.floats);
    } else {
      conv2.overPlane(after, sum);
      addTo(x.floats, sum.floats);
    }
  }

  #writeCoordinates(): void {
    this.#eachPlace((at, row, column) => {
      this.#noisy.floats[at + CHANNELS] = -1 + (2 * column) / (OUTER - 1);
      this.#noisy.floats[at + CHANNELS + 1] = -1 + (2 * row) / (OUTER - 1);
    });
  }

  #writeInput(noisy: Float32Array): void {
    this.#eachPlace((at, row, column) => {
      const from = (row * OUTER + column) * CHANNELS;
      this.#noisy.floats.set(noisy.subarray(from, from + CHANNELS), at);
    });
  }

  #eachPlace(write: (at: number, row: number, column: number) => void): void {
    for (let row = 0; row < OUTER; row += 1) {
      for (let column = 0; column < OUTER; column += 1) {
        write(((row + 1) * (OUTER + 2) + column + 1) * INPUT, row, column);
      }
    }
  }

  /** The grown inner plane, each place as two by two, beside the plane that was kept. */
  #join(): void {
    const { joined } = this.#outer;
    const { grown } = this.#inner;
    for (let row = 0; row < OUTER; row += 1) {
      for (let column = 0; column < OUTER; column += 1) {
        const place = row * OUTER + column;
        const from = ((row >> 1) * INNER + (column >> 1)) * WIDTH;
        joined.floats.set(grown.floats.subarray(from, from + WIDTH), place * 2 * WIDTH);
        const kept = this.#kept.subarray(place * WIDTH, (place + 1) * WIDTH);
        joined.floats.set(kept, place * 2 * WIDTH + WIDTH);
      }
    }
  }

  #picture(): Float32Array {
    const { outputs } = this.#output;
    const picture = new Float32Array(PICTURE_LENGTH);
    for (let place = 0; place < PLACES; place += 1) {
      const from = place * outputs;
      picture.set(this.#result.floats.subarray(from, from + CHANNELS), place * CHANNELS);
    }
    return picture;
  }
}

const rowOf = (film: Float32Array, row: number): Float32Array => {
  const width = film.length / TILE_PLACES;
  return film.subarray(row * width, (row + 1) * width);
};

/** PyTorch has the places of a channel behind each other; a plane has the channels of a place. */
const byPlace = (layout: Float32Array): Float32Array =>
  Float32Array.from(layout, (_, at) => {
    const [place, channel] = [Math.floor(at / DEEP), at % DEEP];
    return layout[channel * INNER * INNER + place] ?? 0;
  });

const silu = (x: number): number => x / (1 + Math.exp(-x));

const addTo = (sum: Float32Array, values: Float32Array): void => {
  for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (values[at] ?? 0);
};
