import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import { AttestationError, demandEvidence } from '../attestation.errors.js';
import { EventLog, type PcrMeasurements, Sha256Hex } from '../measurements.js';
import { ALG_SHA256, parseQuote, type Quote } from './tpms-attest.js';

/** The registers that are quoted, in the SHA-256 bank. */
export const QUOTED_REGISTERS = [0, 2, 7] as const;

const PART_CHARS_MAX = 8_192;

/** Evidence of a TPM 2.0: a quote over PCR 0, 2 and 7. */
export const TpmEvidence = z.strictObject({
  type: z.literal('tpm2'),
  log: EventLog,
  /** The TPMS_ATTEST. */
  quote: z.base64().max(PART_CHARS_MAX),
  /** ECDSA over SHA-256, as DER. */
  signature: z.base64().max(PART_CHARS_MAX),
  /** The attestation key. */
  ak_pem: z.string().max(PART_CHARS_MAX),
  pcrs: z.strictObject({ pcr_0: Sha256Hex, pcr_2: Sha256Hex, pcr_7: Sha256Hex }),
});
export type TpmEvidence = z.infer<typeof TpmEvidence>;

/**
 * Checks signature, qualifying data and registers. It does not say whose key has signed: compare
 * `akSha256Of` with a key that is known.
 * @throws AttestationError `evidence_malformed`, `evidence_rejected`
 */
export const verifyQuote = (evidence: TpmEvidence, qualifyingData: Buffer): Quote => {
  const bytes = Buffer.from(evidence.quote, 'base64');
  const quote = parseQuote(bytes);
  const key = akOf(evidence);
  const signature = Buffer.from(evidence.signature, 'base64');
  demandEvidence(verify('sha256', bytes, key, signature), 'the signature of the quote is invalid');
  demandEvidence(
    quote.extraData.equals(qualifyingData),
    'the quote is bound to another nonce, room, key or log',
  );
  const [selection, ...others] = quote.selections;
  demandEvidence(
    others.length === 0 &&
      selection?.algorithm === ALG_SHA256 &&
      selection.registers.join() === QUOTED_REGISTERS.join(),
    'the quote covers other registers than PCR 0, 2 and 7 of the SHA-256 bank',
  );
  demandEvidence(
    quote.pcrDigest.equals(digestOf(evidence.pcrs)),
    'the registers do not have the quoted digest',
  );
  return quote;
};

/** The digest of an attestation key: SHA-256 of its SubjectPublicKeyInfo, in hex. */
export const akSha256Of = (evidence: Pick<TpmEvidence, 'ak_pem'>): string =>
  hash('sha256', akOf(evidence).export({ format: 'der', type: 'spki' }));

/** The digest of a quote is over the values of its registers, in ascending order. */
const digestOf = ({ pcr_0, pcr_2, pcr_7 }: PcrMeasurements): Buffer =>
  hash('sha256', Buffer.from(pcr_0 + pcr_2 + pcr_7, 'hex'), 'buffer');

const akOf = ({ ak_pem: pem }: Pick<TpmEvidence, 'ak_pem'>): KeyObject => {
  try {
    const key = createPublicKey(pem);
    demandEvidence(key.asymmetricKeyType === 'ec', 'the attestation key is not a key of ECDSA');
    return key;
  } catch (error) {
    if (error instanceof AttestationError) throw error;
    throw new AttestationError('evidence_malformed', 'the attestation key is not a public key', {
      cause: error,
    });
  }
};
