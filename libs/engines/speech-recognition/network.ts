import { createDotKernel, type DotKernel, PAGE_BYTES, strideOf } from '../vectors/dot-kernel.js';
import { type NamedTensors } from '#platform/safetensors/safetensors.js';
import { type SpeechCard } from './speech-card.js';
import { SpeechEngineError } from './speech.errors.js';

const FLOAT_BYTES = 4;

/** Values of one time behind the values of the time before. */
interface Rows {
  readonly count: number;
  readonly width: number;
  readonly values: Float32Array;
}

/** A product with the same matrix at every time, in the memory of the kernel. */
interface Product {
  /** The first byte of the weights: a row for each output. */
  readonly at: number;
  readonly stride: number;
  readonly bias: Float32Array;
}

/** A convolution over time for each channel, then a product over the channels. */
interface Separable {
  /** `[kernel, channels]`: as the values of a time lie in memory. */
  readonly time: Float32Array;
  readonly kernel: number;
  readonly mix: Product;
}

/**
 * The convolutional network of the recognizer. One row of its scores is for four frames: blank, the
 * words, and other speech.
 */
export class SpeechNetwork {
  readonly #kernel: DotKernel = createDotKernel();
  /** The next free byte behind the weights. */
  #free = 0;
  readonly #mean: Float32Array;
  readonly #scale: Float32Array;
  readonly #first: Product;
  readonly #second: Separable;
  readonly #blocks: readonly Separable[];
  readonly #head: Product;

  /** @throws SpeechEngineError for weights that are not of the card's network */
  constructor(
    private readonly card: SpeechCard,
    weights: NamedTensors,
  ) {
    const { channels, kernel, inputKernel, blocks } = card.network;
    const { bands } = card.features;
    const tensor = (name: string, ...shape: readonly number[]): Float32Array => {
      const found = weights.get(name);
      if (found?.shape.join() === shape.join()) return found.values;
      const expected = `expected ${name} of ${shape.join(' x ')}`;
      throw new SpeechEngineError('weights_invalid', `the weights: ${expected}`);
    };
    const product = (name: string, outputs: number, inputs: number, rows?: Float32Array) =>
      this.#load(
        rows ?? tensor(`${name}.weight`, outputs, inputs),
        tensor(`${name}.bias`, outputs),
      );
    const separable = (name: string, size: number): Separable => ({
      time: transposed(tensor(`${name}.time.weight`, channels, size), size),
      kernel: size,
      mix: product(`${name}.mix`, channels, channels),
    });
    this.#mean = tensor('mean', bands);
    this.#scale = tensor('scale', bands);
    const filters = tensor('first.weight', channels, bands, inputKernel);
    const inputs = bands * inputKernel;
    this.#first = product('first', channels, inputs, timesFirst(filters, bands, inputKernel));
    this.#second = separable('second', inputKernel);
    this.#blocks = Array.from({ length: blocks }, (_, at) => separable(`blocks.${at}`, kernel));
    this.#head = product('head', card.words.length + 2, channels);
  }

  /** Frames for one row of scores. */
  get stride(): number {
    return this.card.network.stride ** 2;
  }

  /** Frames on each side that a row of scores depends on. */
  get reach(): number {
    const { inputKernel, kernel, blocks, stride } = this.card.network;
    const half = (size: number): number => (size - 1) / 2;
    return half(inputKernel) * (1 + stride) + half(kernel) * blocks * this.stride;
  }

  /**
   * The logarithms of probabilities, `[rows, words + 2]`.
   * @param mel `[frames, bands]`
   */
  logProbabilities(mel: Float32Array): Float32Array {
    const { bands } = this.card.features;
    const { inputKernel, stride } = this.card.network;
    const input = this.#normalized(mel, bands);
    let rows = this.#slide(this.#first, input, inputKernel, stride);
    rectify(rows.values);
    rows = this.#separable(this.#second, rows, stride);
    for (const block of this.#blocks) {
      const added = this.#separable(block, rows, 1);
      for (let at = 0; at < added.values.length; at += 1) {
        added.values[at] = (added.values[at] ?? 0) + (rows.values[at] ?? 0);
      }
      rows = added;
    }
    const scores = this.#slide(this.#head, rows, 1, 1);
    return logSoftmax(scores);
  }

  #normalized(mel: Float32Array, bands: number): Rows {
    const values = new Float32Array(mel.length);
    for (let at = 0; at < mel.length; at += 1) {
      const band = at % bands;
      values[at] = ((mel[at] ?? 0) - (this.#mean[band] ?? 0)) * (this.#scale[band] ?? 0);
    }
    return { count: mel.length / bands, width: bands, values };
  }

  #separable({ time, kernel, mix }: Separable, rows: Rows, stride: number): Rows {
    const mixed = this.#slide(mix, overTime(rows, time, kernel, stride), 1, 1);
    rectify(mixed.values);
    return mixed;
  }

  /** A product with `kernel` neighbouring rows at every `stride`-th time; zeros around. */
  #slide({ at, stride: bytes, bias }: Product, rows: Rows, kernel: number, stride: number): Rows {
    const count = Math.ceil(rows.count / stride);
    const outputs = bias.length;
    const padding = ((kernel - 1) / 2) * rows.width;
    const [from, to] = [this.#free, this.#free + padding * FLOAT_BYTES];
    // A round of the kernel may read behind the last row: there are zeros.
    const outAt = to + (rows.values.length + padding) * FLOAT_BYTES + bytes;
    const memory = this.#reserved(outAt + count * outputs * FLOAT_BYTES);
    memory.fill(0, from / FLOAT_BYTES, outAt / FLOAT_BYTES);
    memory.set(rows.values, to / FLOAT_BYTES);
    const step = stride * rows.width * FLOAT_BYTES;
    const result = new Float32Array(count * outputs);
    for (let row = 0; row < count; row += 1) {
      const target = outAt + row * outputs * FLOAT_BYTES;
      this.#kernel.scores(from + row * step, at, outputs, bytes, target);
    }
    result.set(memory.subarray(outAt / FLOAT_BYTES, outAt / FLOAT_BYTES + result.length));
    for (let place = 0; place < result.length; place += 1) {
      result[place] = (result[place] ?? 0) + (bias[place % outputs] ?? 0);
    }
    return { count, width: outputs, values: result };
  }

  #load(rows: Float32Array, bias: Float32Array): Product {
    const inputs = rows.length / bias.length;
    const stride = strideOf(inputs);
    const at = this.#free;
    this.#free += bias.length * stride;
    const memory = this.#reserved(this.#free);
    for (let row = 0; row < bias.length; row += 1) {
      const start = (at + row * stride) / FLOAT_BYTES;
      memory.set(rows.subarray(row * inputs, (row + 1) * inputs), start);
    }
    return { at, stride, bias };
  }

  /** The memory of the kernel, of this size at least. */
  #reserved(bytes: number): Float32Array {
    const { memory } = this.#kernel;
    const missing = bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    return new Float32Array(memory.buffer);
  }
}

/** From `[outputs, bands, kernel]` to `[outputs, kernel * bands]`: as frames lie in memory. */
const timesFirst = (filters: Float32Array, bands: number, kernel: number): Float32Array => {
  const size = bands * kernel;
  return filters.map((_, at) => {
    const [output, inner] = [Math.floor(at / size), at % size];
    const [time, band] = [Math.floor(inner / bands), inner % bands];
    return filters[output * size + band * kernel + time] ?? 0;
  });
};

/** From `[rows, columns]` to `[columns, rows]`. */
const transposed = (values: Float32Array, columns: number): Float32Array => {
  const rows = values.length / columns;
  return values.map((_, at) => values[(at % rows) * columns + Math.floor(at / rows)] ?? 0);
};

/** A convolution over time for each channel; zeros around. */
const overTime = (
  { count, width, values }: Rows,
  weights: Float32Array,
  kernel: number,
  stride: number,
): Rows => {
  const result = new Float32Array(Math.ceil(count / stride) * width);
  const half = (kernel - 1) / 2;
  for (let row = 0; row * stride < count; row += 1) {
    const centre = row * stride;
    for (let tap = Math.max(0, half - centre); tap < kernel; tap += 1) {
      const source = centre + tap - half;
      if (source >= count) break;
      const [into, of, by] = [row * width, source * width, tap * width];
      for (let channel = 0; channel < width; channel += 1) {
        const product = (weights[by + channel] ?? 0) * (values[of + channel] ?? 0);
        result[into + channel] = (result[into + channel] ?? 0) + product;
      }
    }
  }
  return { count: result.length / width, width, values: result };
};

const rectify = (values: Float32Array): void => {
  for (let at = 0; at < values.length; at += 1) if ((values[at] ?? 0) < 0) values[at] = 0;
};

const logSoftmax = ({ count, width, values }: Rows): Float32Array => {
  for (let row = 0; row < count; row += 1) {
    const scores = values.subarray(row * width, (row + 1) * width);
    const top = scores.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
    const sum = scores.reduce((total, score) => total + Math.exp(score - top), 0);
    const shift = top + Math.log(sum);
    for (let at = 0; at < width; at += 1) scores[at] = (scores[at] ?? 0) - shift;
  }
  return values;
};
