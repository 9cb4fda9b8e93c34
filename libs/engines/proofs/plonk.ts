import { keccak_256 } from '@noble/hashes/sha3.js';
import { type G1, type Lines, PairingCurve } from './pairing-curve.js';
import { demandSecrets, reject } from './proofs.errors.js';
import { type PlonkKey, type PlonkProof } from './proofs.protocol.js';

const POINTS = ['A', 'B', 'C', 'Z', 'T1', 'T2', 'T3', 'Wxi', 'Wxiw'] as const;
const EVALUATIONS = ['eval_a', 'eval_b', 'eval_c', 'eval_s1', 'eval_s2', 'eval_zw'] as const;
const COMMITMENTS = ['Qm', 'Ql', 'Qr', 'Qo', 'Qc', 'S1', 'S2', 'S3'] as const;

type Named<Names extends readonly string[], Value> = Readonly<Record<Names[number], Value>>;
type Commitments = Named<typeof COMMITMENTS, G1>;

interface ReadProof extends Named<typeof POINTS, G1>, Named<typeof EVALUATIONS, bigint> {
  readonly signals: readonly bigint[];
}

interface Challenges {
  readonly beta: bigint;
  readonly gamma: bigint;
  readonly alpha: bigint;
  readonly xi: bigint;
  readonly v: bigint;
  readonly u: bigint;
}

/**
 * A key whose points were checked. Verifies as the paper of PLONK has it (eprint 2019/953, section
 * 8.3), with the transcript of snarkjs: Keccak-256 over points without compression and scalars, in
 * big-endian order.
 */
export class PlonkVerifier {
  readonly curve: PairingCurve;
  readonly #commitments: Commitments;
  readonly #secret: Lines;
  readonly #generator: Lines;
  readonly #k1: bigint;
  readonly #k2: bigint;
  readonly #root: bigint;
  readonly #power: number;

  /** @throws ProofsError */
  constructor(key: PlonkKey) {
    const curve = new PairingCurve(key.curve);
    this.curve = curve;
    this.#commitments = namedOf(COMMITMENTS, (name) =>
      curve.g1OrInfinity(key[name], `key.${name}`),
    );
    const secret = curve.g2(key.X_2, 'key.X_2');
    demandSecrets(!secret.equals(curve.one2), 'key.X_2');
    this.#secret = curve.linesOf(secret);
    this.#generator = curve.linesOf(curve.one2);
    this.#k1 = curve.scalar(key.k1, 'key.k1');
    this.#k2 = curve.scalar(key.k2, 'key.k2');
    this.#root = curve.scalar(key.w, 'key.w');
    this.#power = key.power;
    const field = curve.scalars;
    const half = field.pow(this.#root, 1n << BigInt(key.power - 1));
    if (half !== field.neg(1n))
      reject('malformed', 'key.w', `expected a root of unity of order 2^${key.power}`);
  }

  /** @throws ProofsError */
  read(proof: PlonkProof, signals: readonly bigint[], path: string): ReadProof {
    return {
      ...namedOf(POINTS, (name) => this.curve.g1(proof[name], `${path}.${name}`)),
      ...namedOf(EVALUATIONS, (name) => this.curve.scalar(proof[name], `${path}.${name}`)),
      signals,
    };
  }

  isTrue(proof: ReadProof): boolean {
    const field = this.curve.scalars;
    const challenges = this.#challenges(proof);
    const { xi, u, v } = challenges;
    const xiN = field.pow(xi, 1n << BigInt(this.#power));
    // No polynomial is checked outside of its domain.
    if (xiN === 1n) return false;
    const lagrange = this.#lagrange(xi, xiN, proof.signals.length);
    const [first = 0n] = lagrange;
    const constant = this.#constantPart(proof, challenges, lagrange);
    const [, v2, v3, v4, v5] = [1n, 2n, 3n, 4n, 5n].map((n) => field.pow(v, n));
    const powers = [v, v2 ?? 0n, v3 ?? 0n, v4 ?? 0n, v5 ?? 0n] as const;
    const evaluations = [proof.eval_a, proof.eval_b, proof.eval_c, proof.eval_s1, proof.eval_s2];
    const evaluated = evaluations.reduce(
      (sum, value, n) => field.add(sum, field.mul(powers[n] ?? 0n, value)),
      field.sub(field.mul(u, proof.eval_zw), constant),
    );
    const { S1, S2 } = this.#commitments;
    const right = this.curve.sumOf([
      ...this.#linearPart(proof, challenges, first, xiN),
      [proof.A, powers[0]],
      [proof.B, powers[1]],
      [proof.C, powers[2]],
      [S1, powers[3]],
      [S2, powers[4]],
      [this.curve.one, field.neg(evaluated)],
      [proof.Wxi, xi],
      [proof.Wxiw, field.mul(field.mul(u, xi), this.#root)],
    ]);
    const left = this.curve.sumOf([
      [proof.Wxi, 1n],
      [proof.Wxiw, u],
    ]);
    return this.curve.isOne([
      [left.negate(), this.#secret],
      [right, this.#generator],
    ]);
  }

  #challenges(proof: ReadProof): Challenges {
    const next = (...parts: readonly (G1 | bigint)[]): bigint => this.#challenge(parts);
    const { A, B, C, Z, T1, T2, T3, Wxi, Wxiw, signals } = proof;
    const commitments = COMMITMENTS.map((name) => this.#commitments[name]);
    const beta = next(...commitments, ...signals, A, B, C);
    const gamma = next(beta);
    const alpha = next(beta, gamma, Z);
    const xi = next(alpha, T1, T2, T3);
    const v = next(xi, ...EVALUATIONS.map((name) => proof[name]));
    return { beta, gamma, alpha, xi, v, u: next(Wxi, Wxiw) };
  }

  #challenge(parts: readonly (G1 | bigint)[]): bigint {
    const bytes = parts.map((part) => {
      if (typeof part === 'bigint') return bytesOf(part, this.curve.scalars.BYTES);
      const width = this.curve.coordinateBytes;
      if (part.is0()) return Buffer.alloc(2 * width);
      const { x, y } = part.toAffine();
      return Buffer.concat([bytesOf(x, width), bytesOf(y, width)]);
    });
    const hash = Buffer.from(keccak_256(Buffer.concat(bytes)));
    return this.curve.scalars.create(BigInt(`0x${hash.toString('hex')}`));
  }

  /** The first Lagrange polynomials at `xi`: as many as there are public inputs. */
  #lagrange(xi: bigint, xiN: bigint, count: number): readonly bigint[] {
    const field = this.curve.scalars;
    const size = field.create(1n << BigInt(this.#power));
    const zero = field.sub(xiN, 1n);
    const values: bigint[] = [];
    let root = 1n;
    for (let n = 0; n < count; n += 1) {
      const below = field.mul(size, field.sub(xi, root));
      values.push(field.div(field.mul(root, zero), below));
      root = field.mul(root, this.#root);
    }
    return values;
  }

  /** `r0` of the paper: the part of the linearization that needs no commitment. */
  #constantPart(
    proof: ReadProof,
    { alpha, beta, gamma }: Challenges,
    lagrange: readonly bigint[],
  ): bigint {
    const field = this.curve.scalars;
    const inputs = proof.signals.reduce(
      (sum, signal, n) => field.sub(sum, field.mul(signal, lagrange[n] ?? 0n)),
      0n,
    );
    const factors = [
      field.add(field.add(proof.eval_a, field.mul(beta, proof.eval_s1)), gamma),
      field.add(field.add(proof.eval_b, field.mul(beta, proof.eval_s2)), gamma),
      field.add(proof.eval_c, gamma),
      proof.eval_zw,
      alpha,
    ];
    const permutation = factors.reduce((product, factor) => field.mul(product, factor), 1n);
    const start = field.mul(lagrange[0] ?? 0n, field.sqr(alpha));
    return field.sub(field.sub(inputs, start), permutation);
  }

  /** `[D]` of the paper: the part of the linearization that is made of commitments. */
  #linearPart(
    proof: ReadProof,
    { alpha, beta, gamma, xi, u }: Challenges,
    first: bigint,
    xiN: bigint,
  ): readonly (readonly [G1, bigint])[] {
    const field = this.curve.scalars;
    const { eval_a: a, eval_b: b, eval_c: c, eval_s1: s1, eval_s2: s2, eval_zw: zw } = proof;
    const { Qm, Ql, Qr, Qo, Qc, S3 } = this.#commitments;
    const betaXi = field.mul(beta, xi);
    const wires = [
      field.add(field.add(a, betaXi), gamma),
      field.add(field.add(b, field.mul(betaXi, this.#k1)), gamma),
      field.add(field.add(c, field.mul(betaXi, this.#k2)), gamma),
    ].reduce((product, factor) => field.mul(product, factor), alpha);
    const shifted = [
      field.add(field.add(a, field.mul(beta, s1)), gamma),
      field.add(field.add(b, field.mul(beta, s2)), gamma),
      field.mul(field.mul(alpha, beta), zw),
    ].reduce((product, factor) => field.mul(product, factor), 1n);
    const start = field.mul(first, field.sqr(alpha));
    const zero = field.sub(xiN, 1n);
    return [
      [Qm, field.mul(a, b)],
      [Ql, a],
      [Qr, b],
      [Qo, c],
      [Qc, 1n],
      [proof.Z, field.add(field.add(wires, start), u)],
      [S3, field.neg(shifted)],
      [proof.T1, field.neg(zero)],
      [proof.T2, field.neg(field.mul(zero, xiN))],
      [proof.T3, field.neg(field.mul(zero, field.sqr(xiN)))],
    ];
  }
}

const namedOf = <const Names extends readonly string[], Value>(
  names: Names,
  valueOf: (name: Names[number]) => Value,
): Named<Names, Value> =>
  Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Named<Names, Value>;

const bytesOf = (value: bigint, width: number): Buffer =>
  Buffer.from(value.toString(16).padStart(2 * width, '0'), 'hex');
