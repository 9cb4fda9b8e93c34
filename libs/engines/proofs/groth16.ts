import { randomBytes } from 'node:crypto';
import { type G1, type G2, type Lines, PairingCurve } from './pairing-curve.js';
import { demandSecrets, reject } from './proofs.errors.js';
import { type Groth16Key, type Groth16Proof, PAIRINGS_OF_KEY } from './proofs.protocol.js';

/** A false batch is accepted with a probability below 2 to the power of minus this number. */
const BATCH_BITS = 128;

interface ReadProof {
  readonly a: G1;
  readonly b: G2;
  readonly c: G1;
  readonly signals: readonly bigint[];
}

/** A key whose points were checked. Verifies as J. Groth's paper of 2016 has it (section 3.2). */
export class Groth16Verifier {
  readonly curve: PairingCurve;
  readonly #alpha: G1;
  readonly #beta: Lines;
  readonly #gamma: Lines;
  readonly #delta: Lines;
  readonly #inputs: readonly G1[];

  /** @throws ProofsError */
  constructor(key: Groth16Key) {
    const curve = new PairingCurve(key.curve);
    if (key.IC.length !== key.nPublic + 1) {
      reject(
        'malformed',
        'key.IC',
        `expected ${key.nPublic + 1} points, received ${key.IC.length}`,
      );
    }
    this.curve = curve;
    this.#alpha = curve.g1(key.vk_alpha_1, 'key.vk_alpha_1');
    const beta = curve.g2(key.vk_beta_2, 'key.vk_beta_2');
    const gamma = curve.g2(key.vk_gamma_2, 'key.vk_gamma_2');
    const delta = curve.g2(key.vk_delta_2, 'key.vk_delta_2');
    demandSecrets(!beta.equals(curve.one2), 'key.vk_beta_2');
    // Equal ones let anyone make a proof of any signals from the key alone.
    demandSecrets(!delta.equals(gamma), 'key.vk_delta_2');
    this.#beta = curve.linesOf(beta);
    this.#gamma = curve.linesOf(gamma);
    this.#delta = curve.linesOf(delta);
    // The point of an input that no constraint names is infinity.
    this.#inputs = key.IC.map((point, n) => curve.g1OrInfinity(point, `key.IC[${n}]`));
  }

  /** @throws ProofsError */
  read(proof: Groth16Proof, signals: readonly bigint[], path: string): ReadProof {
    return {
      a: this.curve.g1(proof.pi_a, `${path}.pi_a`),
      b: this.curve.g2(proof.pi_b, `${path}.pi_b`),
      c: this.curve.g1(proof.pi_c, `${path}.pi_c`),
      signals,
    };
  }

  /**
   * Whether all proofs hold. Each is multiplied by a random factor, so that two false ones do not
   * make up for each other: one check of `proofs + 3` pairs takes the place of `4 * proofs`.
   */
  areTrue(proofs: readonly ReadProof[]): boolean {
    const { curve } = this;
    const field = curve.scalars;
    const factors = proofs.map((_, n) => (n === 0 ? 1n : randomFactor()));
    const total = factors.reduce((sum, factor) => field.add(sum, factor), 0n);
    const inputs = this.#inputs.map((point, n): readonly [G1, bigint] => {
      if (n === 0) return [point, total];
      const weighted = proofs.map(({ signals }, i) =>
        field.mul(signals[n - 1] ?? 0n, factors[i] ?? 0n),
      );
      return [point, weighted.reduce((sum, value) => field.add(sum, value), 0n)];
    });
    return curve.isOne([
      ...proofs.map(({ a, b }, i): readonly [G1, Lines] => [
        a.negate().multiplyUnsafe(factors[i] ?? 0n),
        curve.linesOf(b),
      ]),
      [this.#alpha.multiplyUnsafe(total), this.#beta],
      [curve.sumOf(inputs), this.#gamma],
      [curve.sumOf(proofs.map(({ c }, i) => [c, factors[i] ?? 0n])), this.#delta],
    ]);
  }

  /** Which proofs hold, and the pairs that it took to find out. */
  verify(proofs: readonly ReadProof[]): {
    readonly verified: readonly boolean[];
    readonly pairings: number;
  } {
    const together = proofs.length + PAIRINGS_OF_KEY;
    if (this.areTrue(proofs)) return { verified: proofs.map(() => true), pairings: together };
    if (proofs.length === 1) return { verified: [false], pairings: together };
    return {
      verified: proofs.map((proof) => this.areTrue([proof])),
      pairings: together + proofs.length * (1 + PAIRINGS_OF_KEY),
    };
  }
}

/** Never zero, which would hide a proof. */
const randomFactor = (): bigint => BigInt(`0x${randomBytes(BATCH_BITS / 8).toString('hex')}`) + 1n;
