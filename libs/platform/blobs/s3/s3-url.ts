import { BlobError } from '../blobs.errors.js';

export interface S3Target {
  readonly bucket: string;
  /** Before the names of all objects; empty, or ends with a slash. */
  readonly prefix: string;
  /** Undefined: as the environment says, otherwise AWS. */
  readonly endpoint?: string;
  /** Undefined: as the environment says. */
  readonly region?: string;
  /** Whether the bucket is in the path of a request instead of its host. */
  readonly pathStyle: boolean;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*)?$/;
const REGION = /^[a-z0-9-]{1,32}$/;
const OPTIONS = ['endpoint', 'region', 'path-style'];
const PARTS = /^s3:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

/**
 * Reads `s3://bucket/prefix?endpoint=https://s3.example:9000&region=eu-west-1&path-style=true`.
 * Every option may be missing; a server that is not AWS mostly needs `path-style=true`. Credentials
 * come from the environment, as for every AWS tool.
 * @throws BlobError `invalid-options`; its message never contains the URL
 */
export const readS3Url = (url: string): S3Target => {
  const [, bucket, path = '', query = ''] = PARTS.exec(url) ?? [];
  if (bucket === undefined) return reject('it takes s3://bucket/prefix');
  if (!BUCKET.test(bucket)) reject('a bucket has 3 to 63 of a-z 0-9 . -');
  const prefix = path.replace(/\/$/, '');
  if (!PREFIX.test(prefix)) reject('a prefix has words of A-Z a-z 0-9 _ . - with slashes between');
  const options = new URLSearchParams(query);
  for (const name of options.keys()) {
    if (!OPTIONS.includes(name)) reject(`it has no option ${name}; options: ${OPTIONS.join(', ')}`);
  }
  const endpoint = endpointOf(options.get('endpoint'));
  const region = regionOf(options.get('region'));
  return {
    bucket,
    prefix: prefix && `${prefix}/`,
    ...(endpoint && { endpoint }),
    ...(region && { region }),
    pathStyle: pathStyleOf(options.get('path-style')),
  };
};

const endpointOf = (text: string | null): string | undefined => {
  if (text === null) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isServer = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search;
  if (!isServer) return reject('endpoint is http://host:port or https://host:port');
  if (url.username || url.password) return reject('credentials belong in the environment');
  return url.origin;
};

const regionOf = (text: string | null): string | undefined =>
  text === null || REGION.test(text) ? (text ?? undefined) : reject('region is like eu-west-1');

const pathStyleOf = (text: string | null): boolean => {
  if (text === null || text === 'false') return false;
  return text === 'true' || reject('path-style is true or false');
};

const reject = (detail: string): never => {
  throw new BlobError('invalid-options', `the URL of S3: ${detail}`);
};
