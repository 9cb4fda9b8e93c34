import { type SecretSource, type ServerRigEntry } from '#areas/catalog/catalog-entry.js';
import {
  bearer,
  type KeyHeaders,
  keyCredential,
} from '#areas/inference/rigs/dialects/credentials.js';
import {
  anthropicDialect,
  anthropicKey,
} from '#areas/inference/rigs/dialects/anthropic/anthropic.dialect.js';
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
        dialect: openAiDialect({ readsMaxTokensOnly: rig.server === 'ollama' }),
        credentials: keysOf(rig, bearer),
      };
    case 'anthropic':
      return {
        dialect: anthropicDialect(rig.name),
        credentials: keysOf(rig, anthropicKey),
      };
    case 'azure-openai':
      throw new Error(`rig ${rig.name}: kind ${rig.kind} is not served yet`);
  }
};

/** The environment variables of a rig's secrets that are not set. */
export const missingVariables = (rig: ServerRigEntry): readonly string[] =>
  secretsOf(rig).flatMap((source) =>
    'env' in source && (process.env[source.env] ?? '') === '' ? [source.env] : [],
  );

const secretsOf = (rig: ServerRigEntry): readonly SecretSource[] =>
  rig.kind === 'azure-openai' && rig.entra ? [...rig.keys, rig.entra.clientSecret] : rig.keys;

const keysOf = ({ name, keys }: ServerRigEntry, headersOf: KeyHeaders): readonly Credential[] =>
  keys.flatMap((source) => {
    if ('file' in source) return [keyCredential(name, source, headersOf)];
    const key = process.env[source.env] ?? '';
    return key === '' ? [] : [keyCredential(name, { key }, headersOf)];
  });
