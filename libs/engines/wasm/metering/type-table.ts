import { ByteWriter } from '../binary/byte-writer.js';
import { signatureOf, type FunctionType } from './module-shape.js';

const FUNCTION_TYPE = 0x60;

/** The types of a module, and the types that the meter adds behind them. */
export class TypeTable {
  readonly #types: FunctionType[];
  readonly #indices = new Map<string, number>();

  constructor(types: readonly FunctionType[]) {
    this.#types = [...types];
    for (const [index, type] of types.entries()) {
      const signature = signatureOf(type);
      // Types of one signature are the same type.
      if (!this.#indices.has(signature)) this.#indices.set(signature, index);
    }
  }

  indexOf(type: FunctionType): number {
    const signature = signatureOf(type);
    const known = this.#indices.get(signature);
    if (known !== undefined) return known;
    const index = this.#types.push(type) - 1;
    this.#indices.set(signature, index);
    return index;
  }

  written(): ByteWriter {
    const out = new ByteWriter().unsigned(this.#types.length);
    for (const { params, results } of this.#types) {
      out.byte(FUNCTION_TYPE);
      out.unsigned(params.length).byte(...params);
      out.unsigned(results.length).byte(...results);
    }
    return out;
  }
}
