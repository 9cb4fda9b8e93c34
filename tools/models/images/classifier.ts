import { readSafetensors } from '#platform/safetensors/safetensors.js';
import { ATTRIBUTE_NAMES, ATTRIBUTES, type Scene } from '#engines/image-diffusion/scene.js';

/** Numbers by row, column and channel. */
interface Map3 {
  readonly side: number;
  readonly channels: number;
  readonly values: Float32Array;
}

interface Layer {
  readonly weights: Float32Array;
  readonly bias: Float32Array;
  readonly outputs: number;
  readonly inputs: number;
}

/** As `train_classifier.py` has them. */
const STRIDES = [1, 2, 2, 2] as const;
const TAPS = [-1, 0, 1] as const;

/** Reads the attributes of pictures. It learned from drawings alone, never from the image model. */
export class SceneClassifier {
  readonly #convolutions: readonly Layer[];
  readonly #head: Layer;

  /** @param file safetensors */
  constructor(file: Buffer) {
    const tensors = readSafetensors(file, ['F16']);
    const layerOf = (name: string): Layer => {
      const weights = tensors.get(`${name}.weight`);
      const bias = tensors.get(`${name}.bias`);
      if (!weights || !bias) throw new Error(`the classifier has no layer ${name}`);
      const [outputs = 0, inputs = 0] = weights.shape;
      return { weights: weights.values, bias: bias.values, outputs, inputs };
    };
    this.#convolutions = STRIDES.map((_, at) => layerOf(`conv.${at}`));
    this.#head = layerOf('head');
  }

  /** @param pixels red, green and blue of each pixel, row by row */
  read(pixels: Uint8Array): Scene {
    const side = Math.sqrt(pixels.length / 3);
    const values = Float32Array.from(pixels, (value) => value / 127.5 - 1);
    let map: Map3 = { side, channels: 3, values };
    this.#convolutions.forEach((layer, at) => {
      map = convolved(map, layer, STRIDES[at] ?? 1);
    });
    const scores = this.#scores(map);
    let start = 0;
    const scene = ATTRIBUTE_NAMES.map((name) => {
      const options: readonly string[] = ATTRIBUTES[name];
      const own = scores.subarray(start, start + options.length);
      start += options.length;
      return [name, options[own.indexOf(Math.max(...own))]];
    });
    return Object.fromEntries(scene) as Scene;
  }

  /** PyTorch flattens channels first. */
  #scores({ side, channels, values }: Map3): Float32Array {
    const { weights, bias, outputs, inputs } = this.#head;
    return Float32Array.from({ length: outputs }, (_, output) => {
      let sum = bias[output] ?? 0;
      for (let channel = 0; channel < channels; channel += 1) {
        for (let place = 0; place < side * side; place += 1) {
          const weight = weights[output * inputs + channel * side * side + place] ?? 0;
          sum += weight * (values[place * channels + channel] ?? 0);
        }
      }
      return sum;
    });
  }
}

/** A convolution of three by three with a ReLU. */
const convolved = (
  { side, channels, values }: Map3,
  { weights, bias, outputs, inputs }: Layer,
  stride: number,
): Map3 => {
  const smaller = side / stride;
  const result = new Float32Array(smaller * smaller * outputs);
  for (let place = 0; place < smaller * smaller; place += 1) {
    const [y, x] = [Math.floor(place / smaller) * stride, (place % smaller) * stride];
    for (let output = 0; output < outputs; output += 1) {
      let sum = bias[output] ?? 0;
      for (const down of TAPS) {
        for (const across of TAPS) {
          const [row, column] = [y + down, x + across];
          if (row < 0 || row >= side || column < 0 || column >= side) continue;
          const tap = (down + 1) * 3 + across + 1;
          for (let input = 0; input < inputs; input += 1) {
            const weight = weights[(output * inputs + input) * 9 + tap] ?? 0;
            sum += weight * (values[(row * side + column) * channels + input] ?? 0);
          }
        }
      }
      result[place * outputs + output] = Math.max(0, sum);
    }
  }
  return { side: smaller, channels: outputs, values: result };
};
