import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { bn254 } from '@noble/curves/bn254.js';
import { ProofsError } from './proofs.errors.js';
import {
  type Claim,
  type Groth16Proof,
  type Proof,
  type ProofKey,
  type ProofsEnd,
  ProofsTask,
  SnarkjsKey,
} from './proofs.protocol.js';
import { runProofsTask } from './verify-claims.js';

/** Recorded from snarkjs by `test/oracles/proofs/record.mjs`. */
interface Group {
  readonly scheme: 'groth16' | 'plonk';
  readonly curve: string;
  readonly key: unknown;
  readonly claims: readonly Claim[];
  readonly damaged: readonly {
    readonly name: string;
    readonly changes: Partial<Proof>;
    readonly signals?: readonly string[];
    readonly snarkjs: boolean | 'error';
  }[];
}

const record = new URL('../../../test/oracles/proofs/vectors.json', import.meta.url);
const { groups } = JSON.parse(readFileSync(record, 'utf8')) as {
  readonly groups: readonly Group[];
};
const named = groups.map((group): [string, Group] => [`${group.scheme} on ${group.curve}`, group]);

const verify = (key: ProofKey, claims: readonly Claim[]) =>
  runProofsTask({ kind: 'verify', key, claims: [...claims] }) as Extract<
    ProofsEnd,
    { readonly kind: 'verify' }
  >;

/** True, false, or the code of the error. */
const verdictOf = (key: ProofKey, claims: readonly Claim[]): boolean | string => {
  try {
    return verify(key, claims).verified.every(Boolean);
  } catch (error) {
    if (error instanceof ProofsError) return error.code;
    throw error;
  }
};

/** Of G2: Groth16 keys of snarkjs have it. */
const generatorOf = (curve: string) => {
  const key = groups.find((one) => one.scheme === 'groth16' && one.curve === curve)?.key;
  const parsed = SnarkjsKey.parse(key);
  if (parsed.protocol !== 'groth16') throw new Error('the record has Groth16 on both curves');
  return parsed.vk_gamma_2;
};

/** By the name of the damage. With a point of another proof it is well-formed, and false. */
const EXPECTED: readonly (readonly [RegExp, boolean | string])[] = [
  [/^(pi_.|[ABCZ]|T.|Wxiw?) plus 1$/, 'point_off_curve'],
  [/ plus p$/, 'coordinate_out_of_field'],
  [/ at infinity$/, 'point_at_infinity'],
  [/ outside of the subgroup$/, 'point_in_wrong_subgroup'],
  [/^eval_\w+ plus r$/, 'scalar_out_of_field'],
  [/^signal \d plus r$/, 'input_out_of_field'],
  [/./, false],
];

const codeOf = (name: string) => EXPECTED.find(([pattern]) => pattern.test(name))?.[1];

/** Written by `test/oracles/proofs/gnark`. */
const gnark = JSON.parse(
  readFileSync(new URL('../../../test/oracles/proofs/gnark/gnark.json', import.meta.url), 'utf8'),
) as readonly (Claim & { readonly key: ProofKey })[];

describe.each(gnark)('a proof of gnark on $key.curve', ({ key, proof, signals }) => {
  it('holds for its signals, and for no other ones', () => {
    expect(verdictOf(key, [{ proof, signals }])).toBe(true);
    expect(verdictOf(key, [{ proof, signals: signals.with(0, '309') }])).toBe(false);
  });
});

describe('proofs together', () => {
  /** The same change of `pi_c` in both directions: their plain product stays as it was. */
  it('do not make up for each other', () => {
    const [group] = groups;
    const [one, other] = group?.claims ?? [];
    if (!group || one?.proof.protocol !== 'groth16' || other?.proof.protocol !== 'groth16') {
      throw new Error('the record begins with Groth16');
    }
    const { Point } = bn254.G1;
    const moved = (claim: Claim, proof: Groth16Proof, by: typeof Point.BASE): Claim => {
      const [x, y] = proof.pi_c.map(BigInt);
      if (x === undefined || y === undefined) throw new Error('a point has coordinates');
      const point = Point.fromAffine({ x, y }).add(by).toAffine();
      return { ...claim, proof: { ...proof, pi_c: [String(point.x), String(point.y), '1'] } };
    };
    const claims = [
      moved(one, one.proof, Point.BASE),
      moved(other, other.proof, Point.BASE.negate()),
    ];
    expect(verify(SnarkjsKey.parse(group.key), claims).verified).toEqual([false, false]);
  });
});

describe.each(named)('%s', (_name, { key: written, claims, damaged, scheme }) => {
  const key = SnarkjsKey.parse(written);
  const [first, second, third] = claims;
  if (!first || !second || !third) throw new Error('the record has three proofs of each scheme');

  it('has a key with valid points', () => {
    expect(runProofsTask({ kind: 'check_key', key })).toEqual({ kind: 'check_key' });
  });

  it('has a key that is rejected where no party drew its secrets', () => {
    const unsafe: readonly ProofKey[] =
      key.protocol === 'groth16'
        ? [
            { ...key, vk_delta_2: key.vk_gamma_2 },
            // Snarkjs has the generator as gamma.
            { ...key, vk_beta_2: key.vk_gamma_2 },
          ]
        : [{ ...key, X_2: generatorOf(key.curve) }];
    for (const one of unsafe) {
      expect(() => runProofsTask({ kind: 'check_key', key: one })).toThrow(
        /^key\.\w+: expected a point of a ceremony with a contribution$/,
      );
    }
  });

  it('holds for the proofs of snarkjs, alone and together', () => {
    const alone = verify(key, [first]);
    expect(alone).toMatchObject({ verified: [true], pairings: scheme === 'plonk' ? 2 : 4 });
    expect(verify(key, claims)).toMatchObject({
      verified: [true, true, true],
      pairings: 6,
    });
  });

  it('names which of several proofs are false', () => {
    const swapped = { proof: second.proof, signals: third.signals };
    expect(verify(key, [first, swapped, third])).toMatchObject({
      verified: [true, false, true],
      pairings: scheme === 'plonk' ? 6 : 18,
    });
  });

  it.each(damaged)('finds $name', ({ name, changes, signals, snarkjs }) => {
    const proof = { ...first.proof, ...changes } as Proof;
    const claim = { proof, signals: [...(signals ?? first.signals)] };
    expect(ProofsTask.safeParse({ kind: 'verify', key, claims: [claim] }).success).toBe(true);
    const verdict = verdictOf(key, [claim]);
    expect(verdict).toBe(codeOf(name));
    // Snarkjs reduces coordinates and evaluations, so it takes several forms of one proof.
    if (snarkjs === true) expect(verdict).toMatch(/_out_of_field$/);
  });

  it('needs as many inputs as the key has', () => {
    const [signal = ''] = first.signals;
    expect(verdictOf(key, [{ ...first, signals: [signal] }])).toBe('input_count_wrong');
    const more = [...first.signals, '1'];
    expect(verdictOf(key, [{ ...first, signals: more }])).toBe('input_count_wrong');
  });

  it('does not hold for a proof of another scheme or curve', () => {
    const other = groups.find((one) => one.scheme !== scheme)?.claims[0];
    if (!other) throw new Error('the record has two schemes');
    expect(verdictOf(key, [{ ...first, proof: other.proof }])).toBe('scheme_mismatch');
    const curve = key.curve === 'bn128' ? 'bls12381' : 'bn128';
    expect(verdictOf(key, [{ ...first, proof: { ...first.proof, curve } }])).toBe(
      'scheme_mismatch',
    );
  });
});
