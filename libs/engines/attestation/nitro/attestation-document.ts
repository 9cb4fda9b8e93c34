import { decode } from 'cborg';
import { hash, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { AttestationError, demandEvidence } from '../attestation.errors.js';

/** SHA-256 of the certificate of the AWS Nitro Enclaves root G1, in hex. AWS publishes it. */
export const AWS_NITRO_ROOT_SHA256 =
  '641a0321a3e244efe456463195d606317ed7cdcc3c1756e09893f3c68f79bb5b';

/** The limits of a document, as the NSM has them. */
const DOCUMENT_BYTES_MAX = 32_768;
const CHAIN_MAX = 8;
const PCRS_MAX = 32;
const PCR_BYTES = 48;
const SIGNATURE_BYTES = 96;
/** COSE: header 1 is the algorithm, and -35 is ECDSA with SHA-384. */
const HEADER_ALGORITHM = 1;
const ES384 = -35;

/** The attested fields of a document whose signature and chain are valid. */
export interface NitroDocument {
  readonly moduleId: string;
  /** When the document was made, in milliseconds since the epoch. */
  readonly atMs: number;
  /** By number; SHA-384. */
  readonly pcrs: ReadonlyMap<number, Buffer>;
  readonly publicKey: Buffer | null;
  readonly userData: Buffer | null;
  readonly nonce: Buffer | null;
}

/**
 * Verifies a document of an AWS Nitro enclave: COSE_Sign1 with ES384 by the leaf certificate, whose
 * chain ends at the root.
 * @param atMs the certificates are valid at this instant; a leaf lives for three hours
 * @param rootSha256 of the certificate of the trusted root
 * @throws AttestationError `evidence_malformed`, `evidence_rejected`
 */
export const verifyNitroDocument = (
  bytes: Uint8Array,
  atMs: number,
  rootSha256 = AWS_NITRO_ROOT_SHA256,
): NitroDocument => {
  if (bytes.length > DOCUMENT_BYTES_MAX) malformed(`it has ${bytes.length} bytes`);
  const { protectedHeader, payload, signature } = coseOf(decoded(bytes));
  const fields = mapOf(decoded(payload), 'its payload');
  const chain = arrayOf(fields.get('cabundle'), 'cabundle').map((one) => certificateOf(one));
  const leaf = certificateOf(fields.get('certificate'));
  const key = verifiedKey([...chain, leaf], atMs, rootSha256);
  const signed = verify(
    'sha384',
    signatureStructure(protectedHeader, payload),
    { key, dsaEncoding: 'ieee-p1363' },
    signature,
  );
  demandEvidence(signed, 'the signature of the Nitro document is invalid');
  if (fields.get('digest') !== 'SHA384') malformed('its digest is not SHA384');
  return {
    moduleId: String(fields.get('module_id')),
    atMs: instantOf(fields.get('timestamp')),
    pcrs: pcrsOf(fields.get('pcrs')),
    publicKey: optionalBytes(fields, 'public_key'),
    userData: optionalBytes(fields, 'user_data'),
    nonce: optionalBytes(fields, 'nonce'),
  };
};

/** The enclave runs in debug mode: its operator reads its memory, and PCR 0, 1 and 2 are zero. */
export const isDebugMode = ({ pcrs }: Pick<NitroDocument, 'pcrs'>): boolean =>
  [0, 1, 2].every((register) => pcrs.get(register)?.every((byte) => byte === 0) ?? true);

interface CoseSign1 {
  readonly protectedHeader: Uint8Array;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
}

const coseOf = (value: unknown): CoseSign1 => {
  const parts = arrayOf(value, 'COSE_Sign1');
  if (parts.length !== 4) malformed('it is not a COSE_Sign1 of four parts');
  const protectedHeader = bytesOf(parts[0], 'its protected header');
  const headers = mapOf(decoded(protectedHeader), 'its protected header');
  demandEvidence(
    headers.size === 1 && headers.get(HEADER_ALGORITHM) === ES384,
    'the Nitro document is not signed by ES384',
  );
  if (mapOf(parts[1], 'its unprotected header').size > 0) malformed('it has unprotected headers');
  const signature = bytesOf(parts[3], 'its signature');
  if (signature.length !== SIGNATURE_BYTES) malformed('its signature is not 96 bytes');
  return { protectedHeader, payload: bytesOf(parts[2], 'its payload'), signature };
};

/** `Sig_structure` of RFC 9052: an array of the context, the header, no data, and the payload. */
const signatureStructure = (protectedHeader: Uint8Array, payload: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from([0x84, 0x6a]),
    Buffer.from('Signature1'),
    byteString(protectedHeader),
    byteString(new Uint8Array()),
    byteString(payload),
  ]);

/** The shortest form of a byte string in CBOR; a document has fewer than 65,536 bytes. */
const byteString = (bytes: Uint8Array): Buffer => {
  const { length } = bytes;
  const head =
    length < 24
      ? [0x40 | length]
      : length < 0x100
        ? [0x58, length]
        : [0x59, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), bytes]);
};

/** Walks the chain from the root to the leaf, and returns the key of the leaf. */
const verifiedKey = (
  chain: readonly X509Certificate[],
  atMs: number,
  rootSha256: string,
): KeyObject => {
  const [root, ...others] = chain;
  demandEvidence(
    root !== undefined && hash('sha256', root.raw) === rootSha256,
    'the chain does not begin with the root certificate of AWS Nitro Enclaves',
  );
  let issuer = root;
  demandValid(issuer, atMs);
  for (const certificate of others) {
    demandEvidence(
      issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey),
      `the certificate ${certificate.serialNumber} was not issued by the one before it`,
    );
    demandValid(certificate, atMs);
    issuer = certificate;
  }
  const { publicKey } = issuer;
  demandEvidence(
    !issuer.ca && publicKey.asymmetricKeyDetails?.namedCurve === 'secp384r1',
    'the leaf certificate is no end certificate with a key of P-384',
  );
  return publicKey;
};

const demandValid = (certificate: X509Certificate, atMs: number): void => {
  const isValid =
    certificate.validFromDate.getTime() <= atMs && atMs <= certificate.validToDate.getTime();
  const { serialNumber, validFrom, validTo } = certificate;
  demandEvidence(
    isValid,
    `the certificate ${serialNumber} is valid from ${validFrom} to ${validTo}`,
  );
};

const pcrsOf = (value: unknown): ReadonlyMap<number, Buffer> => {
  const entries = [...mapOf(value, 'pcrs')];
  if (entries.length > PCRS_MAX) malformed(`it has ${entries.length} registers`);
  return new Map(
    entries.map(([register, digest]) => {
      const bytes = bytesOf(digest, 'a register');
      if (typeof register !== 'number' || bytes.length !== PCR_BYTES) {
        return malformed('a register is not a number and 48 bytes');
      }
      return [register, Buffer.from(bytes)];
    }),
  );
};

const instantOf = (value: unknown): number =>
  typeof value === 'number' ? value : malformed('its timestamp is not a number');

const optionalBytes = (fields: ReadonlyMap<unknown, unknown>, name: string): Buffer | null => {
  const value = fields.get(name);
  return value == null ? null : Buffer.from(bytesOf(value, name));
};

const decoded = (bytes: Uint8Array): unknown => {
  try {
    return decode(bytes, { useMaps: true, rejectDuplicateMapKeys: true, allowUndefined: false });
  } catch (cause) {
    return malformed(`no CBOR: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
};

const certificateOf = (value: unknown): X509Certificate => {
  const der = bytesOf(value, 'a certificate');
  try {
    return new X509Certificate(der);
  } catch {
    return malformed('a certificate is not X.509');
  }
};

const bytesOf = (value: unknown, name: string): Uint8Array =>
  value instanceof Uint8Array ? value : malformed(`${name} is not a byte string`);

const arrayOf = (value: unknown, name: string): readonly unknown[] => {
  if (!Array.isArray(value)) return malformed(`${name} is not an array`);
  return value.length <= CHAIN_MAX ? value : malformed(`${name} has ${value.length} items`);
};

const mapOf = (value: unknown, name: string): ReadonlyMap<unknown, unknown> =>
  value instanceof Map ? value : malformed(`${name} is not a map`);

const malformed = (detail: string): never => {
  throw new AttestationError('evidence_malformed', `the Nitro document: ${detail}`);
};
