import { type SignatureV4 } from '@smithy/signature-v4';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { secretIn, type SecretValue } from '../credentials.js';
import { type Credential, type SignableRequest } from '../dialect.js';

/** The keys of one identity of AWS. */
export interface AwsKeys {
  readonly accessKeyId: SecretValue;
  readonly secretAccessKey: SecretValue;
  readonly sessionToken?: SecretValue;
}

/** Signs requests by AWS's Signature Version 4. Files are read again when AWS rejects them. */
export const awsSignature = (
  rig: string,
  keys: AwsKeys,
  region: string,
  clock: Clock = systemClock,
): Credential => {
  let signer: Promise<SignatureV4> | null = null;
  return {
    headersFor: async (request) => {
      signer ??= signerOf(rig, keys, region);
      signer.catch(() => (signer = null));
      const signed = await (
        await signer
      ).sign(shapeOf(request), {
        signingDate: new Date(clock.now()),
      });
      return signed.headers;
    },
    rejected: () => {
      signer = null;
    },
  };
};

const signerOf = async (rig: string, keys: AwsKeys, region: string): Promise<SignatureV4> => {
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  const [id, secret, token] = await Promise.all([
    secretIn(rig, accessKeyId),
    secretIn(rig, secretAccessKey),
    sessionToken && secretIn(rig, sessionToken),
  ]);
  // With its parts it takes as long to load as the start of a gateway can spare.
  const [{ SignatureV4: Signer }, { Sha256 }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@smithy/core/checksum'),
  ]);
  return new Signer({
    sha256: Sha256,
    service: 'bedrock',
    region,
    credentials: {
      accessKeyId: id,
      secretAccessKey: secret,
      ...(token !== undefined && { sessionToken: token }),
    },
  });
};

/** As the signer of AWS's SDK takes a request. */
const shapeOf = ({ method, url, headers, body }: SignableRequest) => {
  const { protocol, hostname, pathname, searchParams, host } = new URL(url);
  return {
    method,
    protocol,
    hostname,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { ...headers, host },
    body,
  };
};
