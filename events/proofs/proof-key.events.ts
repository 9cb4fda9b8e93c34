import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant, Sha256Hex } from '../vocabulary.js';

/** Chosen by the Admin who registers the key; never given again. */
export const ProofKeyId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/);

export const ProofScheme = z.enum(['groth16', 'plonk']);
export type ProofScheme = z.infer<typeof ProofScheme>;

export const ProofCurve = z.enum(['bn128', 'bls12381']);

/** In the stream `proof-keys`. */
export const ProofKeyRegistered = defineEvent('ProofKeyRegistered', {
  version: 1,
  schema: z.strictObject({
    keyId: ProofKeyId,
    /** The verification key as canonical JSON, as snarkjs names its fields. */
    keyJson: z.string().min(1).max(65_536),
    /** Of `keyJson`. */
    sha256: Sha256Hex,
    scheme: ProofScheme,
    curve: ProofCurve,
    /** Public inputs of a proof. */
    inputs: z.int().positive(),
    /** Where the key comes from, as the Admin names it: a ceremony, a program, an author. */
    source: z.string().min(1).max(200),
    registeredAt: Instant,
  }),
});
export type ProofKeyRegistered = EventOf<typeof ProofKeyRegistered>;

/** No proof is verified with it any more. */
export const ProofKeyRetired = defineEvent('ProofKeyRetired', {
  version: 1,
  schema: z.strictObject({ keyId: ProofKeyId, retiredAt: Instant }),
});
export type ProofKeyRetired = EventOf<typeof ProofKeyRetired>;

export type ProofKeyEvent = ProofKeyRegistered | ProofKeyRetired;

export const proofKeyEvents = [ProofKeyRegistered, ProofKeyRetired] as const;
