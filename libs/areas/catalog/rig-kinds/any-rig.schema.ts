import { z } from 'zod';
import { ModelId, RigName } from '#events/catalog/rate-card.events.js';
import { Region } from '#events/vocabulary.js';
import { SERVER_FEATURES } from '#platform/chats/server-features.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';
import {
  type AnyRigEntry,
  type AnyServerEntry,
  type BreakerTerms,
  QUANTIZATIONS,
  type RetryTerms,
  type RigModelTerms,
  type SecretSource,
} from '../catalog-entry.js';
import { RIG_MODEL_COST } from '../rig-model-cost.schema.js';
import { Usd } from '../usd.schema.js';

/** The fields of one rig that callers may set although they are the operator's. */
export const ALLOWED_FIELDS_MAX = 64;
/** The keys of one rig. */
export const KEYS_MAX = 64;
/** Further headers of one rig. */
export const HEADERS_MAX = 32;
/** A rig with twice the weight of another has twice its requests of a model. */
export const WEIGHT_MAX = 1_000;

/** Requests to one rig for one request of a caller. */
export const ATTEMPTS_MAX = 10;

const TimeoutMs = z.int().min(1).max(86_400_000);

const Breaker = z
  .strictObject({
    failures: z.int().min(1).max(1_000).optional(),
    open_ms: TimeoutMs.optional(),
    open_ms_max: TimeoutMs.optional(),
  })
  .transform(({ failures, open_ms, open_ms_max }): BreakerTerms => ({
    ...(failures !== undefined && { failuresToOpen: failures }),
    ...(open_ms !== undefined && { openMs: open_ms }),
    ...(open_ms_max !== undefined && { openMsMax: open_ms_max }),
  }));

const RetryMs = z.int().min(0).max(600_000);

const Retries = z
  .strictObject({
    attempts: z.int().min(1).max(ATTEMPTS_MAX).optional(),
    back_off_ms: RetryMs.optional(),
    back_off_ms_max: RetryMs.optional(),
    retry_after_ms_max: RetryMs.optional(),
  })
  .transform(({ attempts, back_off_ms, back_off_ms_max, retry_after_ms_max }): RetryTerms => ({
    ...(attempts !== undefined && { attemptsMax: attempts }),
    ...(back_off_ms !== undefined && { backOffMs: back_off_ms }),
    ...(back_off_ms_max !== undefined && { backOffMsMax: back_off_ms_max }),
    ...(retry_after_ms_max !== undefined && { retryAfterMsMax: retry_after_ms_max }),
  }));

export const AnyRig = z.strictObject({
  name: RigName,
  provider: RigName.optional(),
  data_collection: z.enum(['allow', 'deny']).optional(),
  breaker: Breaker.default({}),
  retries: Retries.default({}),
  hourly_usd: Usd.optional(),
  region: Region.optional(),
});

/** The fields that every rig has, by a kind that may or may not keep data where it does not say. */
export const anyRigOf = (
  rig: z.output<typeof AnyRig>,
  collectsData: boolean,
): Omit<AnyRigEntry, 'maxConcurrency'> => ({
  name: rig.name,
  provider: rig.provider ?? null,
  collectsData: rig.data_collection === undefined ? collectsData : rig.data_collection === 'allow',
  breaker: rig.breaker,
  retries: rig.retries,
  microUsdPerHour: rig.hourly_usd ?? null,
  region: rig.region ?? null,
});

export const VariableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

/** Where a secret is; the catalog itself holds none. */
export const Secret = z
  .strictObject({ env: VariableName.optional(), file: z.string().min(1).max(4_096).optional() })
  .transform(({ env, file }, context): SecretSource => {
    if (env !== undefined && file === undefined) return { env };
    if (file !== undefined && env === undefined) return { file };
    context.addIssue('must have either env or file');
    return z.NEVER;
  });

const problemOfUrl = (written: string): string | null => {
  if (!URL.canParse(written)) return 'must be a URL, such as http://127.0.0.1:8000/v1';
  const { protocol, username, password, search, hash } = new URL(written);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must start with http:// or https://';
  if (username !== '' || password !== '') return 'must not hold a secret: use api_key_env';
  if (search !== '' || hash !== '') return 'must end with its path';
  return null;
};

export const BaseUrl = z.string().transform((written, context) => {
  const problem = problemOfUrl(written);
  if (problem) context.addIssue(problem);
  return withoutTrailing(written, '/');
});

/** Headers that the transport or the dialect writes. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

const problemOfHeader = (name: string): string | null => {
  if (!HEADER_NAME.test(name)) return 'must be the name of a header';
  return RESERVED_HEADERS.has(name) ? 'is a header that Quipu writes' : null;
};

const HeaderValue = z
  .string()
  .max(4_096)
  .regex(/^[\t\x20-\x7E]*$/, 'must be printable ASCII');

const Headers = z.record(z.string(), HeaderValue).transform((written, context) => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(written)) {
    const problem = problemOfHeader(name.toLowerCase());
    if (problem) context.addIssue({ code: 'custom', path: [name], message: problem });
    headers[name.toLowerCase()] = value;
  }
  if (Object.keys(headers).length > HEADERS_MAX) {
    context.addIssue(`must have at most ${HEADERS_MAX} headers`);
  }
  return headers;
});

const Terms = z
  .strictObject({
    id: ModelId,
    upstream_id: z.string().min(1).max(256).optional(),
    weight: z.int().min(1).max(WEIGHT_MAX).default(1),
    send_defaults: z.boolean().optional(),
    quantization: z.enum(QUANTIZATIONS).optional(),
    ...RIG_MODEL_COST,
  })
  .transform(
    ({
      id,
      upstream_id,
      weight,
      send_defaults,
      quantization,
      cost,
      cost_field,
    }): RigModelTerms => ({
      id,
      upstreamId: upstream_id ?? null,
      weight,
      sendsDefaults: send_defaults ?? null,
      quantization: quantization ?? null,
      cost: cost?.price ?? null,
      costField: cost_field ?? null,
    }),
  );

/** A server; its kind says what else it has, and whether it needs its URL. */
export const AnyServer = AnyRig.extend({
  base_url: BaseUrl,
  allow_fields: z.array(z.string().min(1).max(128)).max(ALLOWED_FIELDS_MAX).default([]),
  features: z.array(z.enum(SERVER_FEATURES)).optional(),
  allow_private_urls: z.boolean().default(false),
  api_key_env: VariableName.optional(),
  api_keys: z.array(Secret).max(KEYS_MAX).default([]),
  headers: Headers.default({}),
  models: z.array(Terms).max(2_000).default([]),
  max_concurrency: z.int().min(1).max(10_000).default(64),
  connect_timeout_ms: TimeoutMs.default(5_000),
  answer_timeout_ms: TimeoutMs.default(300_000),
  idle_timeout_ms: TimeoutMs.default(60_000),
});

export const serverEntryOf = (rig: z.output<typeof AnyServer>): AnyServerEntry => ({
  ...anyRigOf(rig, true),
  baseUrl: rig.base_url,
  allowedFields: rig.allow_fields,
  features: rig.features ?? null,
  allowsPrivateUrls: rig.allow_private_urls,
  keys: [...(rig.api_key_env === undefined ? [] : [{ env: rig.api_key_env }]), ...rig.api_keys],
  headers: rig.headers,
  models: rig.models,
  maxConcurrency: rig.max_concurrency,
  connectTimeoutMs: rig.connect_timeout_ms,
  answerTimeoutMs: rig.answer_timeout_ms,
  idleTimeoutMs: rig.idle_timeout_ms,
});
