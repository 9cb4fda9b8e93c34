import { z } from 'zod';
import { AttestationError, demandEvidence } from './attestation.errors.js';
import { type Binding, bindingDigest } from './binding.js';
import { type Evidence, type NitroEvidence, type TeeType } from './evidence.js';
import { type PcrMeasurements, replay, Sha256Hex } from './measurements.js';
import {
  isDebugMode,
  type NitroDocument,
  verifyNitroDocument,
} from './nitro/attestation-document.js';
import { akSha256Of, type TpmEvidence, verifyQuote } from './tpm/verify-quote.js';

const Sha384Hex = z.string().regex(/^[\da-f]{96}$/);

/** The measurements that a verifier expects. Without them no evidence is `attested`. */
export const References = z.strictObject({
  tpm2: z
    .array(
      z.strictObject({
        /** The attestation key: SHA-256 of its SubjectPublicKeyInfo, in hex. */
        ak_sha256: Sha256Hex,
        pcr_0: Sha256Hex,
        pcr_2: Sha256Hex,
        pcr_7: Sha256Hex,
      }),
    )
    .max(100)
    .default([]),
  aws_nitro: z
    .array(z.strictObject({ pcr_0: Sha384Hex, pcr_1: Sha384Hex, pcr_2: Sha384Hex }))
    .max(100)
    .default([]),
});
export type References = z.infer<typeof References>;

export const NO_REFERENCES: References = { tpm2: [], aws_nitro: [] };

export const ATTESTATION_STATUSES = ['attested', 'self_reported', 'not_attested'] as const;

/**
 * `attested`: hardware evidence is valid and has an expected measurement. `self_reported`: the
 * software claims its own measurements. `not_attested`: there is hardware evidence, and nothing
 * more is proved.
 */
export type AttestationStatus = (typeof ATTESTATION_STATUSES)[number];

export interface Appraisal {
  readonly teeType: TeeType;
  readonly status: AttestationStatus;
  readonly hardwareRootOfTrust: 'none' | 'tpm2' | 'aws_nitro';
  readonly pcrs: PcrMeasurements;
  readonly semantics: PcrMeasurements;
  /** Why the evidence is not `attested`; null when it is. */
  readonly reason: string | null;
}

const SEMANTICS: Readonly<Record<TeeType, Readonly<Record<keyof PcrMeasurements, string>>>> = {
  software: {
    pcr_0: 'SHA-256, software log: the build, that is the program of the enclave process',
    pcr_2: 'SHA-256, software log: the policy of the enclave process',
    pcr_7: 'SHA-256, software log: the configuration, that is its models',
  },
  tpm2: {
    pcr_0: 'SHA-256, TCG PC Client: the firmware of the machine',
    pcr_2: 'SHA-256, TCG PC Client: the option ROMs',
    pcr_7: 'SHA-256, TCG PC Client: the secure-boot policy',
  },
  aws_nitro: {
    pcr_0: 'SHA-384, AWS Nitro: the image of the enclave',
    pcr_2: 'SHA-384, AWS Nitro: the application in the image',
    pcr_7: 'SHA-384, AWS Nitro: not used, zero',
  },
};

/**
 * Checks evidence against its binding, and compares its measurements with the expected ones.
 * @throws AttestationError for evidence that is malformed, forged or bound to something else
 */
export const appraise = (
  evidence: Evidence,
  binding: Binding,
  references: References,
  atMs: number,
): Appraisal => {
  const semantics = SEMANTICS[evidence.type];
  switch (evidence.type) {
    case 'software':
      return {
        teeType: 'software',
        status: 'self_reported',
        hardwareRootOfTrust: 'none',
        pcrs: replay(evidence.log),
        semantics,
        reason: 'the software reports its own measurements, and no hardware confirms them',
      };
    case 'tpm2':
      return { ...tpmAppraisal(evidence, binding, references), semantics };
    case 'aws_nitro':
      return { ...nitroAppraisal(evidence, binding, references, atMs), semantics };
  }
};

type Appraised = Omit<Appraisal, 'semantics'>;

const tpmAppraisal = (evidence: TpmEvidence, binding: Binding, { tpm2 }: References): Appraised => {
  verifyQuote(evidence, bindingDigest(binding));
  const { pcrs } = evidence;
  const ak = akSha256Of(evidence);
  const known = tpm2.filter(({ ak_sha256 }) => ak_sha256 === ak);
  const isExpected = known.some(
    (one) => one.pcr_0 === pcrs.pcr_0 && one.pcr_2 === pcrs.pcr_2 && one.pcr_7 === pcrs.pcr_7,
  );
  const reason =
    known.length === 0
      ? `the attestation key ${ak} is not among the expected ones`
      : 'PCR 0, 2 and 7 are not the expected ones';
  return {
    teeType: 'tpm2',
    hardwareRootOfTrust: 'tpm2',
    pcrs,
    ...statusOf(isExpected, reason),
  };
};

const nitroAppraisal = (
  evidence: NitroEvidence,
  binding: Binding,
  { aws_nitro: expected }: References,
  atMs: number,
): Appraised => {
  const document = verifyNitroDocument(Buffer.from(evidence.document, 'base64'), atMs);
  demandBound(document, binding);
  const [pcr_0, pcr_1, pcr_2, pcr_7] = [0, 1, 2, 7].map((register) =>
    document.pcrs.get(register)?.toString('hex'),
  );
  if (!pcr_0 || !pcr_2 || !pcr_7) {
    throw new AttestationError(
      'evidence_malformed',
      'the Nitro document: PCR 0, 2 or 7 is missing',
    );
  }
  const isExpected = expected.some(
    (one) => one.pcr_0 === pcr_0 && one.pcr_1 === pcr_1 && one.pcr_2 === pcr_2,
  );
  const isDebug = isDebugMode(document);
  const reason = isDebug
    ? 'the enclave runs in debug mode'
    : 'PCR 0, 1 and 2 are not the expected ones';
  return {
    teeType: 'aws_nitro',
    hardwareRootOfTrust: 'aws_nitro',
    pcrs: { pcr_0, pcr_2, pcr_7 },
    ...statusOf(isExpected && !isDebug, reason),
  };
};

const demandBound = (document: NitroDocument, binding: Binding): void => {
  const { nonce, publicKey, userData } = document;
  demandEvidence(
    nonce?.toString('utf8') === binding.nonce,
    'the Nitro document is bound to another nonce',
  );
  demandEvidence(
    publicKey?.toString('base64') === binding.enclaveKeySpki,
    'the Nitro document is bound to another enclave key',
  );
  demandEvidence(
    userData?.equals(bindingDigest(binding)) ?? false,
    'the Nitro document is bound to another room or log',
  );
};

const statusOf = (isExpected: boolean, reason: string): Pick<Appraised, 'status' | 'reason'> =>
  isExpected ? { status: 'attested', reason: null } : { status: 'not_attested', reason };
