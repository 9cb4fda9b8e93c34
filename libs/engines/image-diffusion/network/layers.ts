import { type NamedTensors } from '#platform/safetensors/safetensors.js';
import { type Arena, type Place, type Plane } from './arena.js';
import { FLOAT_BYTES, PANEL, TILE_PLACES } from './kernels.js';

/** Inputs of a product are taken four at a time. */
const INPUTS_STEP = 4;

const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;

const tensorOf = (weights: NamedTensors, name: string) => {
  const tensor = weights.get(name);
  if (!tensor) throw new Error(`the weights have no tensor ${name}`);
  return tensor;
};

export const vectorOf = (weights: NamedTensors, name: string): Float32Array =>
  tensorOf(weights, name).values;

/** A convolution or a linear layer, as panels of eight outputs. */
export class Product {
  /** With the zeros that fill the last panel. */
  readonly outputs: number;
  /** With the zeros that fill the last round of inputs. */
  readonly inputs: number;
  readonly #panels: Place;
  readonly #panelBytes: number;
  readonly #taps: Place;
  readonly #tapCount: number;

  /**
   * @param tapsOf the distance of each tap from the first place, in places; it depends on the plane
   */
  constructor(
    private readonly arena: Arena,
    weights: NamedTensors,
    name: string,
    tapsOf: readonly number[] = [0],
  ) {
    const { shape, values } = tensorOf(weights, `${name}.weight`);
    const [outputs = 0, inputs = 0] = shape;
    const taps = tapsOf.length;
    if (outputs * inputs * taps !== values.length) {
      throw new Error(`${name} has ${values.length} weights, not ${outputs * inputs * taps}`);
    }
    const bias = weights.get(`${name}.bias`)?.values;
    this.inputs = roundUp(inputs, INPUTS_STEP);
    this.outputs = roundUp(outputs, PANEL);
    this.#tapCount = taps;
    const panelFloats = PANEL * (1 + taps * this.inputs);
    this.#panelBytes = panelFloats * FLOAT_BYTES;
    this.#panels = arena.take((panelFloats * this.outputs) / PANEL);
    for (let output = 0; output < outputs; output += 1) {
      const start = Math.floor(output / PANEL) * panelFloats + (output % PANEL);
      this.#panels.floats[start] = bias?.[output] ?? 0;
      for (let input = 0; input < inputs; input += 1) {
        for (let tap = 0; tap < taps; tap += 1) {
          const at = start + PANEL * (1 + tap * this.inputs + input);
          this.#panels.floats[at] = values[(output * inputs + input) * taps + tap] ?? 0;
        }
      }
    }
    this.#taps = arena.take(taps);
    const offsets = new Int32Array(arena.kernels.memory.buffer, this.#taps.at, taps);
    offsets.set(tapsOf.map((places) => places * this.inputs * FLOAT_BYTES));
  }

  /** One run of places, a multiple of four: `inputStep` places from one to the next. */
  run(inputAt: number, inputStep: number, outAt: number, places: number): void {
    const { kernels } = this.arena;
    const step = inputStep * this.inputs * FLOAT_BYTES;
    const outStep = this.outputs * FLOAT_BYTES;
    const tapsEnd = this.#taps.at + this.#tapCount * FLOAT_BYTES;
    for (let panel = 0; panel < this.outputs / PANEL; panel += 1) {
      kernels.product(
        inputAt,
        step,
        this.#taps.at,
        tapsEnd,
        this.inputs * FLOAT_BYTES,
        this.#panels.at + panel * this.#panelBytes,
        outAt + panel * PANEL * FLOAT_BYTES,
        outStep,
        places / TILE_PLACES,
      );
    }
  }

  /** Each place of `out` from the place of `input` that is `stride` times as far. */
  overPlane(input: Plane, out: Plane, stride = 1): void {
    const whole = (input.side + 2 * input.border) * this.inputs * FLOAT_BYTES;
    for (let row = 0; row < out.side; row += 1) {
      const outAt = out.at + row * out.side * this.outputs * FLOAT_BYTES;
      this.run(input.at + row * stride * whole, stride, outAt, out.side);
    }
  }
}

/** The nine taps of a convolution over a plane of this side with a border. */
export const tapsAround = (side: number): readonly number[] =>
  [0, 1, 2].flatMap((row) => [0, 1, 2].map((column) => row * (side + 2) + column));

/** The four taps of a convolution that halves the side of a plane without a border. */
export const tapsOfSquare = (side: number): readonly number[] => [0, 1, side, side + 1];

const EPSILON = 1e-5;

/** A group normalization with a SiLU behind it. */
export class Normalization {
  readonly #gain: Float32Array;
  readonly #bias: Float32Array;
  readonly #scale: Place;
  readonly #shift: Place;
  readonly #sums: Float64Array;
  readonly #squares: Float64Array;

  constructor(
    private readonly arena: Arena,
    weights: NamedTensors,
    name: string,
    private readonly groups: number,
  ) {
    this.#gain = vectorOf(weights, `${name}.weight`);
    this.#bias = vectorOf(weights, `${name}.bias`);
    const channels = this.#gain.length;
    this.#scale = arena.take(channels);
    this.#shift = arena.take(channels);
    this.#sums = new Float64Array(channels);
    this.#squares = new Float64Array(channels);
  }

  /**
   * Writes into the inside of `out`.
   * @param film scales of the channels, then shifts; null for neither
   */
  run(input: Plane, out: Plane, film: Float32Array | null): void {
    this.#fold(input, film);
    const { kernels } = this.arena;
    const channelBytes = input.channels * FLOAT_BYTES;
    const rowBytes = input.side * channelBytes;
    for (let row = 0; row < input.side; row += 1) {
      const at = input.at + row * rowBytes;
      const place = (row + out.border) * (out.side + 2 * out.border) + out.border;
      const outAt = out.at + place * channelBytes;
      kernels.gate(at, at + rowBytes, outAt, this.#scale.at, this.#shift.at, channelBytes);
    }
  }

  /** Mean, deviation, gain and film as one scale and one shift for each channel. */
  #fold({ floats, side, channels }: Plane, film: Float32Array | null): void {
    const [sums, squares] = [this.#sums.fill(0), this.#squares.fill(0)];
    for (let at = 0; at < side * side * channels; at += channels) {
      for (let channel = 0; channel < channels; channel += 1) {
        const value = floats[at + channel] ?? 0;
        sums[channel] = (sums[channel] ?? 0) + value;
        squares[channel] = (squares[channel] ?? 0) + value * value;
      }
    }
    const width = channels / this.groups;
    const count = side * side * width;
    for (let start = 0; start < channels; start += width) {
      let [sum, square] = [0, 0];
      for (let channel = start; channel < start + width; channel += 1) {
        sum += sums[channel] ?? 0;
        square += squares[channel] ?? 0;
      }
      const mean = sum / count;
      const rate = 1 / Math.sqrt(square / count - mean * mean + EPSILON);
      for (let channel = start; channel < start + width; channel += 1) {
        const more = 1 + (film?.[channel] ?? 0);
        const gain = (this.#gain[channel] ?? 0) * rate;
        this.#scale.floats[channel] = gain * more;
        const bias = (this.#bias[channel] ?? 0) - mean * gain;
        this.#shift.floats[channel] = bias * more + (film?.[channels + channel] ?? 0);
      }
    }
  }
}
