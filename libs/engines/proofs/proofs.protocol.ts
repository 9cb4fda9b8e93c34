import { z } from 'zod';

/** The JSON of snarkjs: numbers are decimal strings, points have a third coordinate of 1. */

/** Public inputs of a key. Each costs a multiplication on the curve. */
export const INPUTS_MAX = 64;
/** Groth16 proofs that are verified together. */
export const BATCH_MAX = 100;
/** Steps of a circuit of PLONK, as a power of 2. */
const POWER_MAX = 28;

/** A prime of 381 bits has 115 digits. */
const Decimal = z
  .string()
  .max(116)
  .regex(/^(0|[1-9]\d*)$/, 'a decimal number without sign, spaces and leading zeros');

const Fp2 = z.tuple([Decimal, Decimal]);
export const G1Json = z.tuple([Decimal, Decimal, Decimal]);
export type G1Json = z.infer<typeof G1Json>;
export const G2Json = z.tuple([Fp2, Fp2, Fp2]);
export type G2Json = z.infer<typeof G2Json>;

export const CurveName = z.enum(['bn128', 'bls12381']);
export type CurveName = z.infer<typeof CurveName>;

const inputs = { curve: CurveName, nPublic: z.int().min(1).max(INPUTS_MAX) };

export const Groth16Key = z.strictObject({
  protocol: z.literal('groth16'),
  ...inputs,
  vk_alpha_1: G1Json,
  vk_beta_2: G2Json,
  vk_gamma_2: G2Json,
  vk_delta_2: G2Json,
  IC: z
    .array(G1Json)
    .min(2)
    .max(INPUTS_MAX + 1),
});
export type Groth16Key = z.infer<typeof Groth16Key>;

export const PlonkKey = z.strictObject({
  protocol: z.literal('plonk'),
  ...inputs,
  power: z.int().min(1).max(POWER_MAX),
  k1: Decimal,
  k2: Decimal,
  Qm: G1Json,
  Ql: G1Json,
  Qr: G1Json,
  Qo: G1Json,
  Qc: G1Json,
  S1: G1Json,
  S2: G1Json,
  S3: G1Json,
  X_2: G2Json,
  w: Decimal,
});
export type PlonkKey = z.infer<typeof PlonkKey>;

export const ProofKey = z.discriminatedUnion('protocol', [Groth16Key, PlonkKey]);
export type ProofKey = z.infer<typeof ProofKey>;

/** `verification_key.json` of snarkjs. Its pairing of alpha and beta follows from them. */
export const SnarkjsKey = z.discriminatedUnion('protocol', [
  Groth16Key.extend({ vk_alphabeta_12: z.unknown().optional() }).transform(
    ({ vk_alphabeta_12: _, ...key }): Groth16Key => key,
  ),
  PlonkKey,
]);

/** A proof may name its curve; it is then compared with the curve of the key. */
export const Groth16Proof = z.strictObject({
  protocol: z.literal('groth16'),
  curve: CurveName.optional(),
  pi_a: G1Json,
  pi_b: G2Json,
  pi_c: G1Json,
});
export type Groth16Proof = z.infer<typeof Groth16Proof>;

export const PlonkProof = z.strictObject({
  protocol: z.literal('plonk'),
  curve: CurveName.optional(),
  A: G1Json,
  B: G1Json,
  C: G1Json,
  Z: G1Json,
  T1: G1Json,
  T2: G1Json,
  T3: G1Json,
  Wxi: G1Json,
  Wxiw: G1Json,
  eval_a: Decimal,
  eval_b: Decimal,
  eval_c: Decimal,
  eval_s1: Decimal,
  eval_s2: Decimal,
  eval_zw: Decimal,
});
export type PlonkProof = z.infer<typeof PlonkProof>;

export const Proof = z.discriminatedUnion('protocol', [Groth16Proof, PlonkProof]);
export type Proof = z.infer<typeof Proof>;

export const PublicSignals = z.array(Decimal).min(1).max(INPUTS_MAX);

export const Claim = z.strictObject({ proof: Proof, signals: PublicSignals });
export type Claim = z.infer<typeof Claim>;

export const ProofsTask = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('verify'),
    key: ProofKey,
    claims: z.array(Claim).min(1).max(BATCH_MAX),
  }),
  /** Checks every point of a key. */
  z.strictObject({ kind: z.literal('check_key'), key: ProofKey }),
]);
export type ProofsTask = z.infer<typeof ProofsTask>;

export const ProofsEnd = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('verify'),
    /** In the order of the claims. */
    verified: z.array(z.boolean()),
    /** Pairs of points whose Miller loops were computed. */
    pairings: z.int().positive(),
    /** In the thread; includes the reading of points. */
    elapsedMs: z.number().nonnegative(),
  }),
  z.strictObject({ kind: z.literal('check_key') }),
]);
export type ProofsEnd = z.infer<typeof ProofsEnd>;

/** Of a verification at most: the claims together, and then each alone where one is false. */
export const pairingsMaxOf = (protocol: ProofKey['protocol'], claims: number): number =>
  protocol === 'plonk' || claims === 1
    ? PAIRINGS[protocol] * claims
    : claims + PAIRINGS_OF_KEY + PAIRINGS[protocol] * claims;

export const PAIRINGS = { groth16: 4, plonk: 2 } as const;
/** Pairs that the proofs of one batch share. */
export const PAIRINGS_OF_KEY = 3;
