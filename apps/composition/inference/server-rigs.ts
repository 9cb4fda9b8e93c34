import {
  type AwsIdentityEntry,
  type EntraEntry,
  type SecretSource,
  type ServerRigEntry,
} from '#areas/catalog/catalog-entry.js';
import {
  azureKey,
  azureOpenAiDialect,
} from '#areas/inference/rigs/dialects/azure-openai/azure-openai.dialect.js';
import { entraCredential } from '#areas/inference/rigs/dialects/azure-openai/entra-credential.js';
import { systemClock } from '#platform/kernel/clock.js';
import {
  bearer,
  type KeyHeaders,
  keyCredential,
  type SecretValue,
} from '#areas/inference/rigs/dialects/credentials.js';
import {
  anthropicDialect,
  anthropicKey,
} from '#areas/inference/rigs/dialects/anthropic/anthropic.dialect.js';
import { bedrockDialect } from '#areas/inference/rigs/dialects/bedrock/bedrock.dialect.js';
import { awsSignature } from '#areas/inference/rigs/dialects/bedrock/signed-requests.js';
import {
  geminiDialect,
  geminiKey,
  vertexDialect,
} from '#areas/inference/rigs/dialects/gemini/gemini.dialect.js';
import { serviceAccount } from '#areas/inference/rigs/dialects/gemini/service-account.js';
import { openAiDialect } from '#areas/inference/rigs/dialects/openai/openai.dialect.js';
import { type Credential, type Dialect } from '#areas/inference/rigs/dialects/dialect.js';
import { type HttpRigOptions } from '#areas/inference/rigs/http-rig.js';

/** What a server speaks, and what authorizes the requests to it. */
interface Spoken {
  readonly dialect: Dialect;
  readonly credentials: readonly Credential[];
}

export const httpRigOf = (rig: ServerRigEntry): HttpRigOptions => {
  const { name, baseUrl, headers, maxConcurrency } = rig;
  const { connectTimeoutMs, answerTimeoutMs, idleTimeoutMs } = rig;
  return {
    name,
    baseUrl,
    headers,
    maxConcurrency,
    connectTimeoutMs,
    answerTimeoutMs,
    idleTimeoutMs,
    ...spokenBy(rig),
  };
};

/** One case for each kind of server. */
export const spokenBy = (rig: ServerRigEntry): Spoken => {
  switch (rig.kind) {
    case 'openai':
      return {
        dialect: openAiDialect({
          readsMaxTokensOnly: rig.server === 'ollama',
          hasResponses: rig.hasResponses,
        }),
        credentials: keysOf(rig, bearer),
      };
    case 'anthropic':
      return {
        dialect: anthropicDialect(rig.name),
        credentials: keysOf(rig, anthropicKey),
      };
    case 'azure-openai':
      return {
        dialect: azureOpenAiDialect(rig.apiVersion),
        credentials: rig.entra ? [entraOf(rig, rig.entra)] : keysOf(rig, azureKey),
      };
    case 'gemini':
      return { dialect: geminiDialect(), credentials: keysOf(rig, geminiKey) };
    case 'vertex':
      return {
        dialect: vertexDialect(rig),
        credentials: secretValuesOf(rig).map((secret) => serviceAccount(rig.name, secret)),
      };
    case 'bedrock': {
      const { name, awsRegion, identities } = rig;
      return {
        dialect: bedrockDialect(),
        credentials:
          identities.length > 0
            ? identities.flatMap((identity) => signatureOf(name, identity, awsRegion))
            : keysOf(rig, bearer),
      };
    }
  }
};

const entraOf = ({ name }: ServerRigEntry, entra: EntraEntry): Credential =>
  entraCredential({
    ...entra,
    rig: name,
    clientSecret: secretValueOf(entra.clientSecret) ?? { key: '' },
    clock: systemClock,
  });

/** None where a variable of the identity is not set. */
const signatureOf = (
  rig: string,
  { accessKeyId, secretAccessKey, sessionToken }: AwsIdentityEntry,
  region: string,
): readonly Credential[] => {
  const [id, secret] = [secretValueOf(accessKeyId), secretValueOf(secretAccessKey)];
  const token = sessionToken && secretValueOf(sessionToken);
  if (!id || !secret || token === undefined) return [];
  const keys = { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) };
  return [awsSignature(rig, keys, region)];
};

/** The environment variables of a rig's secrets that are not set. */
export const missingVariables = (rig: ServerRigEntry): readonly string[] =>
  secretsOf(rig).flatMap((source) =>
    'env' in source && (process.env[source.env] ?? '') === '' ? [source.env] : [],
  );

const secretsOf = (rig: ServerRigEntry): readonly SecretSource[] => {
  if (rig.kind === 'azure-openai' && rig.entra) return [...rig.keys, rig.entra.clientSecret];
  if (rig.kind !== 'bedrock') return rig.keys;
  const ofIdentities = rig.identities.flatMap((one) => [
    one.accessKeyId,
    one.secretAccessKey,
    one.sessionToken,
  ]);
  return [...rig.keys, ...ofIdentities.filter((source) => source !== null)];
};

const keysOf = (rig: ServerRigEntry, headersOf: KeyHeaders): readonly Credential[] =>
  secretValuesOf(rig).map((secret) => keyCredential(rig.name, secret, headersOf));

const secretValuesOf = ({ keys }: ServerRigEntry): readonly SecretValue[] =>
  keys.map(secretValueOf).filter((secret) => secret !== undefined);

/** Undefined for a variable that is not set. */
const secretValueOf = (source: SecretSource): SecretValue | undefined => {
  if ('file' in source) return source;
  const key = process.env[source.env] ?? '';
  return key === '' ? undefined : { key };
};
