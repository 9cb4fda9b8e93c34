import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { CompactSign, compactVerify, decodeProtectedHeader } from 'jose';
import { z } from 'zod';
import { type Appraisal, appraise, ATTESTATION_STATUSES, type References } from './appraisal.js';
import { AttestationError } from './attestation.errors.js';
import { type Binding } from './binding.js';
import { Evidence, TEE_TYPES } from './evidence.js';
import { PcrMeasurements } from './measurements.js';

/** A nonce of an EAT: 8 to 88 characters (RFC 9711, 4.1). */
export const Nonce = z
  .string()
  .regex(/^[\x21-\x7e]{8,88}$/, 'expected 8 to 88 characters of ASCII without spaces');

export const RECEIPT_PROFILE = 'tag:quipu,2026:cleanroom-attestation/1';
/** An answer of a Nitro enclave is valid for three hours; a receipt for a part of it. */
export const RECEIPT_SECONDS = 3_600;
const RECEIPT_CHARS_MAX = 1_000_000;
const CLOCK_SKEW_SECONDS = 60;
const ALGORITHM = 'EdDSA';
const TYPE = 'eat+jwt';

/** The claims of a receipt: an Entity Attestation Token (RFC 9711). */
export const ReceiptClaims = z.strictObject({
  iss: z.string(),
  iat: z.int().nonnegative(),
  exp: z.int().nonnegative(),
  eat_profile: z.literal(RECEIPT_PROFILE),
  eat_nonce: Nonce,
  /** The enclave key (RFC 7800), which seals deposits and prompts. */
  cnf: z.strictObject({
    jwk: z.strictObject({ kty: z.literal('OKP'), crv: z.literal('X25519'), x: z.base64url() }),
  }),
  /** The tier of trustworthiness, in the words of AR4SI. */
  ear_status: z.enum(['affirming', 'warning', 'contraindicated']),
  cleanroom_uuid: z.string(),
  tee_type: z.enum(TEE_TYPES),
  attestation_status: z.enum(ATTESTATION_STATUSES),
  attestation_reason: z.string().nullable(),
  hardware_root_of_trust: z.enum(['none', 'tpm2', 'aws_nitro']),
  pcr_measurements: PcrMeasurements,
  pcr_semantics: z.strictObject({ pcr_0: z.string(), pcr_2: z.string(), pcr_7: z.string() }),
  evidence: Evidence,
});
export type ReceiptClaims = z.infer<typeof ReceiptClaims>;

export interface ReceiptOrder {
  readonly issuer: string;
  readonly binding: Binding;
  readonly evidence: Evidence;
  readonly appraisal: Appraisal;
  readonly atMs: number;
}

const TIERS = {
  attested: 'affirming',
  self_reported: 'warning',
  not_attested: 'contraindicated',
} as const;

const SPKI_BYTES_BEFORE_KEY = 12;

export const claimsOf = ({
  issuer,
  binding,
  evidence,
  appraisal,
  atMs,
}: ReceiptOrder): ReceiptClaims => {
  const iat = Math.floor(atMs / 1e3);
  const { status, reason, teeType, hardwareRootOfTrust, pcrs, semantics } = appraisal;
  const x = Buffer.from(binding.enclaveKeySpki, 'base64').subarray(SPKI_BYTES_BEFORE_KEY);
  return {
    iss: issuer,
    iat,
    exp: iat + RECEIPT_SECONDS,
    eat_profile: RECEIPT_PROFILE,
    eat_nonce: binding.nonce,
    cnf: { jwk: { kty: 'OKP', crv: 'X25519', x: x.toString('base64url') } },
    ear_status: TIERS[status],
    cleanroom_uuid: binding.cleanroomUuid,
    tee_type: teeType,
    attestation_status: status,
    attestation_reason: reason,
    hardware_root_of_trust: hardwareRootOfTrust,
    pcr_measurements: pcrs,
    pcr_semantics: semantics,
    evidence,
  };
};

/** Signs the claims as a JWS by an Ed25519 key, whose public part is in the header. */
export const signReceipt = (claims: ReceiptClaims, key: KeyObject): Promise<string> => {
  const jwk = jwkOf(createPublicKey(key));
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, jwk })
    .sign(key);
};

export interface ReceiptTrust {
  /** The key that must have signed. Without it, the signer is not known. */
  readonly signer?: KeyObject;
  /** The nonce that the caller sent. */
  readonly nonce?: string;
  /** The measurements that the verifier itself expects. */
  readonly references: References;
  readonly nowMs: number;
}

export interface VerifiedReceipt {
  readonly claims: ReceiptClaims;
  /** By the verifier's own expectations. */
  readonly appraisal: Appraisal;
  readonly isSignerKnown: boolean;
  readonly isNonceKnown: boolean;
  /** SHA-256 of the SubjectPublicKeyInfo of the signer, in hex. */
  readonly signerSha256: string;
}

/**
 * Verifies a receipt from its text alone: signature, life time, nonce, evidence, and that the
 * claims say no more than the evidence.
 * @throws AttestationError
 */
export const verifyReceipt = async (
  text: string,
  { signer, nonce, references, nowMs }: ReceiptTrust,
): Promise<VerifiedReceipt> => {
  const jws = text.trim();
  const key = signerOf(jws);
  const signerSha256 = hash('sha256', key.export({ format: 'der', type: 'spki' }));
  if (signer && !signer.equals(key)) {
    fail('receipt_signer_unknown', `the receipt is signed by another key: ${signerSha256}`);
  }
  const claims = await verifiedClaims(jws, key);
  demandTime(claims, nowMs);
  if (nonce !== undefined && claims.eat_nonce !== nonce) {
    fail('receipt_nonce_mismatch', 'the receipt answers another nonce');
  }
  const binding = bindingOf(claims);
  const appraisal = appraise(claims.evidence, binding, references, nowMs);
  demandHonest(claims, appraisal);
  return {
    claims,
    appraisal,
    isSignerKnown: signer !== undefined,
    isNonceKnown: nonce !== undefined,
    signerSha256,
  };
};

/** The binding that a receipt claims. */
const bindingOf = ({ eat_nonce, cleanroom_uuid, cnf, evidence }: ReceiptClaims): Binding => ({
  nonce: eat_nonce,
  cleanroomUuid: cleanroom_uuid,
  enclaveKeySpki: createPublicKey({ key: cnf.jwk, format: 'jwk' })
    .export({ format: 'der', type: 'spki' })
    .toString('base64'),
  log: evidence.log,
});

const signerOf = (jws: string): KeyObject => {
  if (jws.length > RECEIPT_CHARS_MAX) fail('receipt_malformed', 'the receipt is too long');
  try {
    const { jwk } = decodeProtectedHeader(jws);
    const key = createPublicKey({ key: z.looseObject({}).parse(jwk), format: 'jwk' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The failure below says it.
  }
  return fail('receipt_malformed', 'the receipt is no JWS with an Ed25519 key in its header');
};

const verifiedClaims = async (jws: string, key: KeyObject): Promise<ReceiptClaims> => {
  const verified = await compactVerify(jws, key, { algorithms: [ALGORITHM] }).catch(() =>
    fail('receipt_signature_invalid', 'the signature of the receipt is invalid'),
  );
  if (verified.protectedHeader.typ !== TYPE) {
    fail('receipt_malformed', `the type of the receipt is not ${TYPE}`);
  }
  const claims = ReceiptClaims.safeParse(jsonOf(verified.payload));
  if (claims.success) return claims.data;
  const [issue] = claims.error.issues;
  return fail('receipt_malformed', `the receipt: ${issue?.path.join('.')}: ${issue?.message}`);
};

const jsonOf = (payload: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(payload).toString('utf8'));
  } catch {
    return fail('receipt_malformed', 'the payload of the receipt is not JSON');
  }
};

const demandTime = ({ iat, exp }: ReceiptClaims, nowMs: number): void => {
  const now = nowMs / 1e3;
  if (iat > now + CLOCK_SKEW_SECONDS) {
    fail('receipt_not_yet_valid', `the receipt was issued at ${isoOf(iat)}, in the future`);
  }
  if (exp <= now || exp > iat + RECEIPT_SECONDS) {
    fail('receipt_expired', `the receipt expired at ${isoOf(exp)}`);
  }
};

/** The claims repeat the evidence, and say no more. */
const demandHonest = (claims: ReceiptClaims, { teeType, pcrs, hardwareRootOfTrust }: Appraisal) => {
  const { pcr_measurements: said, attestation_status: status } = claims;
  const isSame =
    claims.tee_type === teeType &&
    claims.hardware_root_of_trust === hardwareRootOfTrust &&
    said.pcr_0 === pcrs.pcr_0 &&
    said.pcr_2 === pcrs.pcr_2 &&
    said.pcr_7 === pcrs.pcr_7;
  if (
    !isSame ||
    claims.ear_status !== TIERS[status] ||
    (status === 'attested' && teeType === 'software')
  ) {
    fail('receipt_overstated', 'the claims of the receipt differ from its evidence');
  }
};

const isoOf = (seconds: number): string => new Date(seconds * 1e3).toISOString();

/** The public parts that a JWK of Ed25519 has. */
const jwkOf = (key: KeyObject) =>
  z
    .object({ kty: z.string(), crv: z.string(), x: z.string() })
    .parse(key.export({ format: 'jwk' }));

const fail = (code: AttestationError['code'], message: string): never => {
  throw new AttestationError(code, message);
};
