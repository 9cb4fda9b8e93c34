/**
 * Verifies AWS Signature Version 4 from its description, apart from every signer: the canonical
 * request, the string to sign and the derived key are computed here.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type ProviderRequest } from '../provider-server.js';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface SigningScope {
  readonly region: string;
  readonly service: string;
}

/** The code and message with which AWS refuses a signature. */
export interface SignatureFault {
  readonly code: string;
  readonly message: string;
}

const SKEW_MS = 300_000;
const CREDENTIAL = String.raw`Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request`;
const AUTHORIZATION = new RegExp(
  `^AWS4-HMAC-SHA256 ${CREDENTIAL}, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$`,
);

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

/** RFC 3986: all but unreserved characters. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Of services other than S3, each segment of the path as sent is encoded once more. */
const canonicalPath = (path: string): string => path.split('/').map(encoded).join('/');

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');

const invalid = (message: string): SignatureFault => ({
  code: 'InvalidSignatureException',
  message,
});

/** @returns null for a request that one of the credentials has signed for the scope */
export const signatureFaultOf = (
  request: ProviderRequest,
  credentials: readonly AwsCredentials[],
  { region, service }: SigningScope,
  nowMs: number,
): SignatureFault | null => {
  const { authorization } = request.headers;
  if (authorization === undefined) {
    return { code: 'MissingAuthenticationTokenException', message: 'Missing Authentication Token' };
  }
  const read = AUTHORIZATION.exec(authorization);
  if (!read) {
    const message = 'Authorization header requires Credential, Signature and SignedHeaders.';
    return { code: 'IncompleteSignatureException', message };
  }
  const [, id, day = '', signedRegion, signedService, names = '', signature = ''] = read;
  const known = credentials.find(({ accessKeyId }) => accessKeyId === id);
  const token = request.headers['x-amz-security-token'];
  if (!known || known.sessionToken !== token) {
    const message = 'The security token included in the request is invalid.';
    return { code: 'UnrecognizedClientException', message };
  }
  if (signedRegion !== region) return invalid('Credential should be scoped to a valid region.');
  if (signedService !== service) {
    return invalid(`Credential should be scoped to correct service: '${service}'.`);
  }
  const dateFault = dateFaultOf(request, day, nowMs);
  if (dateFault) return dateFault;
  const required = ['host', ...(token === undefined ? [] : ['x-amz-security-token'])];
  const signed = names.split(';');
  const missing = required.find((name) => !signed.includes(name));
  if (missing !== undefined) return invalid(`'${missing}' must be a 'SignedHeader'.`);
  const expected = signatureOf(request, known, { day, region, service, names });
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature))
    ? null
    : invalid('The request signature we calculated does not match the signature you provided.');
};

const STAMP = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;

const dateFaultOf = (
  { headers }: ProviderRequest,
  day: string,
  nowMs: number,
): SignatureFault | null => {
  const stamp = String(headers['x-amz-date']);
  const iso = stamp.replace(STAMP, '$1-$2-$3T$4:$5:$6Z');
  const atMs = Date.parse(iso);
  if (Number.isNaN(atMs)) return invalid('Authorization requires x-amz-date.');
  if (!stamp.startsWith(day)) return invalid('Date in Credential scope does not match the date.');
  if (Math.abs(nowMs - atMs) <= SKEW_MS) return null;
  return invalid(`Signature expired: ${stamp} is now earlier than the time allowed.`);
};

const signatureOf = (
  { method, path, query, headers, bytes }: ProviderRequest,
  { secretAccessKey }: AwsCredentials,
  scope: SigningScope & { readonly day: string; readonly names: string },
): string => {
  const { day, region, service, names } = scope;
  const canonical = [
    method,
    canonicalPath(path),
    canonicalQuery(query),
    ...names
      .split(';')
      .map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256(bytes),
  ].join('\n');
  const place = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], place, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${secretAccessKey}`,
  );
  return createHmac('sha256', key).update(text).digest('hex');
};
