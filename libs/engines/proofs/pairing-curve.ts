import { type BlsCurvePair } from '@noble/curves/abstract/bls.js';
import { mulAddUnsafe } from '@noble/curves/abstract/curve.js';
import { type IField } from '@noble/curves/abstract/modular.js';
import { type Fp2 } from '@noble/curves/abstract/tower.js';
import { type WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { reject } from './proofs.errors.js';
import { type CurveName, type G1Json, type G2Json } from './proofs.protocol.js';

const CURVES: Readonly<Record<CurveName, BlsCurvePair>> = { bn128: bn254, bls12381: bls12_381 };

export type G1 = WeierstrassPoint<bigint>;
export type G2 = WeierstrassPoint<Fp2>;
/** The lines of the Miller loop of a point, so that a point of a key is prepared once. */
export type Lines = ReturnType<BlsCurvePair['utils']['calcPairingPrecomputes']>;

/** A curve with pairings: reads points with every check, and computes with them. */
export class PairingCurve {
  readonly #curve: BlsCurvePair;

  constructor(readonly name: CurveName) {
    this.#curve = CURVES[name];
  }

  get scalars(): IField<bigint> {
    return this.#curve.fields.Fr;
  }

  get coordinateBytes(): number {
    return this.#curve.fields.Fp.BYTES;
  }

  get one(): G1 {
    return this.#curve.G1.Point.BASE;
  }

  get one2(): G2 {
    return this.#curve.G2.Point.BASE;
  }

  /** @throws ProofsError */
  scalar(text: string, path: string): bigint {
    const value = BigInt(text);
    const { ORDER } = this.scalars;
    if (value < ORDER) return value;
    return reject('scalar_out_of_field', path, `expected a number below ${ORDER}`);
  }

  /** @throws ProofsError */
  g1(json: G1Json, path: string): G1 {
    const point = this.g1OrInfinity(json, path);
    return point.is0() ? rejectInfinity(path) : point;
  }

  /** A commitment to a polynomial of a key may be infinity. @throws ProofsError */
  g1OrInfinity([xText, yText, zText]: G1Json, path: string): G1 {
    const { Fp } = this.#curve.fields;
    const [x, y] = [this.#coordinate(xText, path), this.#coordinate(yText, path)];
    const { Point } = this.#curve.G1;
    if (x === 0n && y === 1n && zText === '0') return Point.ZERO;
    if (zText === '0') return rejectInfinity(path);
    demandNormal(zText === '1', path);
    demandOnCurve(Fp, Point.CURVE().b, { x, y }, path);
    return inSubgroup(Point.fromAffine({ x, y }), path);
  }

  /** @throws ProofsError */
  g2([xTexts, yTexts, zTexts]: G2Json, path: string): G2 {
    const { Fp2: field } = this.#curve.fields;
    const { Point } = this.#curve.G2;
    const [x, y] = [xTexts, yTexts].map(([c0, c1]) => ({
      c0: this.#coordinate(c0, path),
      c1: this.#coordinate(c1, path),
    }));
    if (!x || !y || zTexts.every((text) => text === '0')) return rejectInfinity(path);
    demandNormal(zTexts[0] === '1' && zTexts[1] === '0', path);
    demandOnCurve(field, Point.CURVE().b, { x, y }, path);
    return inSubgroup(Point.fromAffine({ x, y }), path);
  }

  linesOf(point: G2): Lines {
    return this.#curve.utils.calcPairingPrecomputes(point);
  }

  /** The sum of points, each times its scalar. Nothing here is secret. */
  sumOf(parts: readonly (readonly [G1, bigint])[]): G1 {
    const counted = parts.filter(([point, scalar]) => scalar !== 0n && !point.is0());
    const points = counted.map(([point]) => point);
    return mulAddUnsafe(
      this.#curve.G1.Point,
      points,
      counted.map(([, scalar]) => scalar),
    );
  }

  /** Whether the product of the pairings is one. A pair with infinity changes no product. */
  isOne(pairs: readonly (readonly [G1, Lines])[]): boolean {
    const loops = pairs
      .filter(([point]) => !point.is0())
      .map(([point, lines]): [Lines, bigint, bigint] => {
        const { x, y } = point.toAffine();
        return [lines, x, y];
      });
    const { Fp12 } = this.#curve.fields;
    const product = this.#curve.millerLoopBatch(loops);
    return Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE);
  }

  #coordinate(text: string, path: string): bigint {
    const value = BigInt(text);
    const { ORDER } = this.#curve.fields.Fp;
    if (value < ORDER) return value;
    return reject('coordinate_out_of_field', path, `expected coordinates below ${ORDER}`);
  }
}

const rejectInfinity = (path: string): never =>
  reject('point_at_infinity', path, 'expected a point, received infinity');

/** A point has as many forms as third coordinates: only one of them is accepted. */
const demandNormal = (isNormal: boolean, path: string): void => {
  if (!isNormal) reject('malformed', path, 'expected 1 as the third coordinate');
};

const demandOnCurve = <Field>(
  field: IField<Field>,
  b: Field,
  { x, y }: { readonly x: Field; readonly y: Field },
  path: string,
): void => {
  const right = field.add(field.mul(field.sqr(x), x), b);
  if (field.eql(field.sqr(y), right)) return;
  reject('point_off_curve', path, 'expected a point of the curve');
};

const inSubgroup = <Field>(point: WeierstrassPoint<Field>, path: string): typeof point =>
  point.isTorsionFree()
    ? point
    : reject('point_in_wrong_subgroup', path, 'expected a point of the subgroup of prime order');
