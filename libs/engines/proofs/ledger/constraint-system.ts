import { bn254 } from '@noble/curves/bn254.js';

const { Fr } = bn254.fields;

/** A value of the circuit as a sum of wires with coefficients, and what it is in this witness. */
export interface Linear {
  readonly terms: ReadonlyMap<number, bigint>;
  readonly value: bigint;
}

/** `left` times `right` is `product`. */
export interface Constraint {
  readonly left: Linear['terms'];
  readonly right: Linear['terms'];
  readonly product: Linear['terms'];
}

const ONE_WIRE = 0;
const ONE: Linear = { terms: new Map([[ONE_WIRE, 1n]]), value: 1n };

export const constant = (value: bigint): Linear => ({
  terms: new Map([[ONE_WIRE, value]]),
  value,
});

/** The sum of values, each times its factor. */
export const sum = (parts: readonly (readonly [Linear, bigint])[]): Linear => {
  const terms = new Map<number, bigint>();
  for (const [{ terms: added }, factor] of parts) {
    for (const [wire, coefficient] of added) {
      terms.set(wire, Fr.add(terms.get(wire) ?? 0n, Fr.mul(coefficient, factor)));
    }
  }
  const value = parts.reduce(
    (total, [one, factor]) => Fr.add(total, Fr.mul(one.value, factor)),
    0n,
  );
  return { terms, value };
};

/**
 * A rank-1 constraint system over the scalars of BN254 with its witness: one run of a circuit gives
 * both. The first wire is 1, and the public wires follow.
 */
export class ConstraintSystem {
  readonly #witness: bigint[] = [1n];
  readonly #constraints: Constraint[] = [];
  #publicWires = 0;

  get witness(): readonly bigint[] {
    return this.#witness;
  }

  get constraints(): readonly Constraint[] {
    return this.#constraints;
  }

  get publicWires(): number {
    return this.#publicWires;
  }

  /** Public wires come before all others. Snarkjs lists them in this order. */
  publicInput(value: bigint): Linear {
    if (this.#witness.length !== this.#publicWires + 1) {
      throw new RangeError('public wires come before private ones');
    }
    this.#publicWires += 1;
    return this.input(value);
  }

  input(value: bigint): Linear {
    const wire = this.#witness.push(value) - 1;
    return { terms: new Map([[wire, 1n]]), value };
  }

  multiply(left: Linear, right: Linear): Linear {
    const product = this.input(Fr.mul(left.value, right.value));
    this.#demand(left, right, product);
    return product;
  }

  /** A wire with the value of a sum, so that later sums stay short. */
  wireOf(one: Linear): Linear {
    return this.multiply(one, ONE);
  }

  equal(one: Linear, other: Linear): void {
    this.#demand(one, ONE, other);
  }

  /** The value is below 2 to the power of `bits`. */
  inBits(one: Linear, bits: number): void {
    const parts = Array.from({ length: bits }, (_, n): readonly [Linear, bigint] => {
      const bit = this.input((one.value >> BigInt(n)) & 1n);
      this.#demand(bit, bit, bit);
      return [bit, 1n << BigInt(n)];
    });
    this.equal(one, sum(parts));
  }

  /** Whether the witness keeps every constraint. */
  isSatisfied(): boolean {
    const valueOf = (terms: Linear['terms']): bigint =>
      [...terms].reduce(
        (total, [wire, coefficient]) =>
          Fr.add(total, Fr.mul(this.#witness[wire] ?? 0n, coefficient)),
        0n,
      );
    return this.#constraints.every(({ left, right, product }) =>
      Fr.eql(Fr.mul(valueOf(left), valueOf(right)), valueOf(product)),
    );
  }

  #demand(left: Linear, right: Linear, product: Linear): void {
    this.#constraints.push({ left: left.terms, right: right.terms, product: product.terms });
  }
}
