import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { NO_REFERENCES, type Appraisal, References } from '#engines/attestation/appraisal.js';
import { AttestationError } from '#engines/attestation/attestation.errors.js';
import { type VerifiedReceipt, verifyReceipt } from '#engines/attestation/receipt.js';
import { CommandFailure, usage } from '../command-failure.js';
import { type CommonOptions, type Outcome } from '../invocation.js';

export interface VerifyReceiptOptions extends CommonOptions {
  readonly file: string;
  readonly nonce?: string;
  readonly signer?: string;
  readonly references?: string;
}

/** Needs no installation: everything is in the receipt. */
export const verifyFile = async (options: VerifyReceiptOptions): Promise<Outcome> => {
  const { nonce, signer, references } = options;
  const trust = {
    ...(nonce !== undefined && { nonce }),
    ...(signer !== undefined && { signer: await signerIn(signer) }),
    references: references === undefined ? NO_REFERENCES : await referencesIn(references),
    nowMs: Date.now(),
  };
  const receipt = receiptIn(await contentOf(options.file));
  const verified = await verifyReceipt(receipt, trust).catch((error: unknown) => {
    if (!(error instanceof AttestationError)) throw error;
    throw new CommandFailure(error.code, error.message);
  });
  return { json: reportOf(verified), text: describe(verified) };
};

const reportOf = ({ claims, appraisal, ...known }: VerifiedReceipt) => ({
  cleanroom_uuid: claims.cleanroom_uuid,
  tee_type: appraisal.teeType,
  attestation_status: appraisal.status,
  attestation_reason: appraisal.reason,
  hardware_root_of_trust: appraisal.hardwareRootOfTrust,
  pcr_measurements: appraisal.pcrs,
  pcr_semantics: appraisal.semantics,
  claimed_status: claims.attestation_status,
  expires_at: isoOf(claims.exp),
  nonce: claims.eat_nonce,
  nonce_compared: known.isNonceKnown,
  signer_sha256: known.signerSha256,
  signer_compared: known.isSignerKnown,
});

const describe = (verified: VerifiedReceipt): string => {
  const { claims, appraisal, isNonceKnown, isSignerKnown, signerSha256 } = verified;
  return [
    `The receipt of the clean room ${claims.cleanroom_uuid} is valid until ${isoOf(claims.exp)}.`,
    statusOf(appraisal),
    isSignerKnown
      ? 'It is signed by the given key.'
      : `It is signed by ${signerSha256}: compare this key with --signer.`,
    isNonceKnown
      ? 'It answers the given nonce.'
      : `It answers the nonce ${claims.eat_nonce}: compare it with --nonce.`,
    ...Object.entries(appraisal.pcrs).map(
      ([name, value]) =>
        `${name}  ${value}  ${appraisal.semantics[name as keyof Appraisal['pcrs']]}`,
    ),
  ].join('\n');
};

const statusOf = ({ teeType, status, reason }: Appraisal): string =>
  reason === null ? `${teeType}: ${status}.` : `${teeType}: ${status}, since ${reason}.`;

const isoOf = (seconds: number): string => new Date(seconds * 1e3).toISOString();

/** The receipt itself, or the answer of the gateway with the receipt in it. */
const receiptIn = (content: string): string => {
  if (!content.trimStart().startsWith('{')) return content;
  const answer = jsonOf(content, 'the file');
  const receipt =
    typeof answer === 'object' && answer !== null && 'verification_receipt' in answer
      ? answer.verification_receipt
      : undefined;
  if (typeof receipt === 'string') return receipt;
  throw usage('the file: expected a receipt, or an answer with a verification_receipt');
};

const signerIn = async (file: string): Promise<KeyObject> => {
  try {
    return createPublicKey(await contentOf(file));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw usage(`--signer: ${file} is not a public key as PEM`);
  }
};

const referencesIn = async (file: string): Promise<References> => {
  const { data, error } = References.safeParse(jsonOf(await contentOf(file), '--references'));
  if (data) return data;
  const [issue] = error.issues;
  throw usage(`--references: ${issue?.path.map(String).join('.')}: ${issue?.message}`);
};

const jsonOf = (content: string, name: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    throw usage(`${name}: expected JSON`);
  }
};

const contentOf = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw usage(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
};
