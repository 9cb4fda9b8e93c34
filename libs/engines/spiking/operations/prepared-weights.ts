import { type NamedTensor, type NamedTensors } from '#platform/safetensors/safetensors.js';
import { activeCount } from './tensor.js';

/** The weights of a network with the values that every run of it would derive again. */
export class PreparedWeights {
  readonly #checked = new Map<string, NamedTensor>();
  readonly #biases = new Map<string, Float64Array>();
  readonly #wires = new Map<string, Float64Array>();

  constructor(private readonly tensors: NamedTensors) {}

  /** @throws RangeError when the weights lack the parameter, or have it in another shape */
  parameter(name: string, shape: readonly number[]): NamedTensor {
    const known = this.#checked.get(name);
    if (known !== undefined && isSameShape(known.shape, shape)) return known;
    const stored = this.tensors.get(name);
    if (stored === undefined) throw new RangeError(`the weights have no ${name}`);
    if (!isSameShape(stored.shape, shape)) {
      throw new RangeError(
        `${name} is [${stored.shape.join(', ')}], the network needs [${shape.join(', ')}]`,
      );
    }
    this.#checked.set(name, stored);
    return stored;
  }

  /** A parameter that training may have left out. */
  optional(name: string): NamedTensor | undefined {
    return this.tensors.get(name);
  }

  /** In 64-bit floats, which sums start from; not to be written to. */
  bias(name: string, out: number): Float64Array {
    const known = this.#biases.get(name);
    if (known?.length === out) return known;
    const bias = Float64Array.from(this.parameter(name, [out]).values);
    this.#biases.set(name, bias);
    return bias;
  }

  /**
   * Of weights that are given by design: the wires of each row of `out`. A weight of zero is none.
   */
  wires(name: string, rows: number, out: number): Float64Array {
    const known = this.#wires.get(name);
    if (known?.length === rows) return known;
    const values = this.tensors.get(name)?.values ?? new Float32Array();
    const wires = Float64Array.from({ length: rows }, (_, row) =>
      activeCount(values.subarray(row * out, (row + 1) * out)),
    );
    this.#wires.set(name, wires);
    return wires;
  }
}

const prepared = new WeakMap<NamedTensors, PreparedWeights>();

/** Weights are prepared once for as long as they are held. They must not change after a run. */
export const prepare = (weights: NamedTensors): PreparedWeights => {
  const known = prepared.get(weights);
  if (known !== undefined) return known;
  const fresh = new PreparedWeights(weights);
  prepared.set(weights, fresh);
  return fresh;
};

const isSameShape = (one: readonly number[], other: readonly number[]): boolean => {
  if (one.length !== other.length) return false;
  for (let axis = 0; axis < one.length; axis += 1) {
    if (one[axis] !== other[axis]) return false;
  }
  return true;
};
