import { type KeyObject, verify } from 'node:crypto';
import { type Manifest } from '../archive/package-members.js';
import { PackageError } from './package.error.js';

/** The right to run a package, as its token states it. */
export interface Licence {
  readonly id: string;
  readonly hardwareClass: string;
  /** ISO 8601 UTC. */
  readonly notBefore: string;
  readonly expiresAt: string;
}

/** The claims of a token (JWS, EdDSA), which the issuer writes with `jose`. */
export interface LicenceClaims {
  readonly jti: string;
  readonly nbf: number;
  readonly exp: number;
  readonly package_uuid: string;
  readonly archive_sha256: string;
  readonly hardware_class: string;
}

const ALGORITHM = 'EdDSA';

/** The token of this package. Its time is the caller's to judge. @throws PackageError */
export const readLicence = (
  token: string,
  keys: readonly KeyObject[],
  { package_uuid: uuid, archive }: Pick<Manifest, 'package_uuid' | 'archive'>,
): Licence => {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const signed = Buffer.from(`${header}.${payload}`);
  const bytes = Buffer.from(signature, 'base64url');
  const isSigned = keys.some((key) => verify(null, signed, key, bytes));
  if (!isSigned || (partOf(header) as { readonly alg: string }).alg !== ALGORITHM) {
    throw new PackageError('licence.jwt is altered, or its key is not for licences');
  }
  const claims = partOf(payload) as LicenceClaims;
  if (claims.package_uuid !== uuid || claims.archive_sha256 !== archive.sha256) {
    throw new PackageError('licence.jwt is of another package');
  }
  return {
    id: claims.jti,
    hardwareClass: claims.hardware_class,
    notBefore: instantOf(claims.nbf),
    expiresAt: instantOf(claims.exp),
  };
};

/** Read once the signature was found to be right. */
const partOf = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());

const instantOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();
