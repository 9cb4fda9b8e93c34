import { z } from 'zod';
import { MESSAGES_MAX } from '#platform/chats/chat-defaults.js';
import { messageOf } from '#platform/kernel/faults.js';
import {
  faultsOf as fieldFaultsOf,
  pathOf,
  RejectedRequestError,
} from '#platform/runtime/commands/rejected-request.js';
import { schemaCheckOf } from '#platform/runtime/commands/schema-check.js';
import { type ChatBody as PricedBody } from '#platform/chats/chat-order.js';
import { type Fault, faultsOf, PARTS_MAX, ROLES } from './message-faults.js';
import { isDeeperThan } from './rigs/nesting.js';
import { ModelsField, ProviderField } from './routing-fields.js';
import { AUTO, ROUTING_MODE_LENGTH_MAX } from './routing-modes.js';
import { LEVELS_MAX } from './token-bound.js';

export const CHOICES_MAX = 16;
/** Fields of the body itself, known and unknown. */
export const FIELDS_MAX = 256;

/** A message as the OpenAPI document shows it; `faultsOf` checks the same, faster. */
export const Message = z.looseObject({
  role: z.enum(ROLES),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string() })).max(PARTS_MAX), z.null()])
    .optional(),
});

const positive = z.int().min(1).max(10_000_000).nullish();

/** The most that the engine of spiking networks takes. */
export const TIMESTEPS_MAX = 1_024;

/** The schema adds these fields to a body without them. */
const DEFAULTS = { routing_mode: AUTO, timesteps: 8 } as const;

/**
 * Fields that Quipu uses are strict; all others pass to the rig unchanged. It is a zod schema and
 * not a class, since it runs for every request and zod compiles it once
 * (decisions/0001-chat-body-by-zod.md).
 */
export const ChatBody = z.looseObject({
  model: z.string().min(1).max(256),
  messages: z.array(z.unknown()).min(1).max(MESSAGES_MAX),
  routing_mode: z.string().max(ROUTING_MODE_LENGTH_MAX).default(DEFAULTS.routing_mode),
  cleanroom_uuid: z.uuid().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  timesteps: z.int().min(1).max(TIMESTEPS_MAX).default(DEFAULTS.timesteps),
  max_tokens: positive,
  max_completion_tokens: positive,
  n: z.int().min(1).max(CHOICES_MAX).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
  seed: z.int().nullish(),
  /** The rigs that may answer, and their order, as OpenRouter has it. */
  provider: ProviderField.nullish(),
  /** Further models, which answer in this order where the model itself cannot. */
  models: ModelsField.nullish(),
  /** An adapter on the weights of the model: a slug or an id of the vault. */
  adapter: z.string().min(1).max(256).nullish(),
});
export type ChatBody = z.infer<typeof ChatBody> & PricedBody;

/** The schema of the OpenAPI document. */
export const DocumentedChatBody = ChatBody.extend({
  messages: z.array(Message).min(1).max(MESSAGES_MAX),
});

type Fields = Readonly<Record<string, unknown>>;

/** A body that cannot be read. */
export interface InvalidChatBody {
  readonly code: 'invalid_request' | 'body_too_complex';
  /** Names the fields that are wrong, ten at most. */
  readonly message: string;
  /** The first of them, such as `messages[0].role`; null for the body itself. */
  readonly param: string | null;
}

/** Spares most bodies the parsing. A body with wishes about its rigs and models is parsed. */
const fits = schemaCheckOf(ChatBody.omit({ provider: true, models: true }));

export type ReadChatBody = { readonly body: ChatBody } | { readonly invalid: InvalidChatBody };

/**
 * Reads the body of a chat request, of a caller or of a line of a batch. The HTTP edge has bounded
 * the nesting of a caller's; `deepFieldsOf` does so for a line.
 */
export const readChatBody = (value: unknown): ReadChatBody => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalidBody('invalid_request', 'the body must be a JSON object');
  }
  if (Object.keys(value).length > FIELDS_MAX) {
    return invalidBody('body_too_complex', `the body has more than ${FIELDS_MAX} fields`);
  }
  const whole: Fields = { ...DEFAULTS, ...value };
  const isPlain = whole['provider'] == null && whole['models'] == null;
  if (isPlain && fits?.(whole)) return readMessages(whole as ChatBody);
  const parsed = ChatBody.safeParse(value);
  if (!parsed.success) return invalidFields(parsed.error.issues.flatMap(faultsIn));
  return readMessages(parsed.data as ChatBody);
};

/** @throws RejectedRequestError 400 whose param is the first invalid field */
export const parseChatBody = (value: unknown): ChatBody => {
  const read = readChatBody(value);
  if ('body' in read) return read.body;
  const { code, message, param } = read.invalid;
  throw new RejectedRequestError({
    status: 400,
    code,
    message,
    ...(param !== null && { param }),
  });
};

const readMessages = (body: ChatBody): ReadChatBody => {
  const faults = faultsOf(body.messages);
  return faults.length > 0 ? invalidFields(faults) : { body };
};

const invalidBody = (code: InvalidChatBody['code'], message: string): ReadChatBody => ({
  invalid: { code, message, param: null },
});

const invalidFields = (faults: readonly Fault[]): ReadChatBody => ({
  invalid: {
    code: 'invalid_request',
    message: messageOf(faults.map(({ param, message }) => `${param}: ${message}`)),
    param: faults[0]?.param ?? null,
  },
});

/** The fields that are nested too deep: a recursive walk of such a value overflows the stack. */
export const deepFieldsOf = (body: object): readonly string[] =>
  Object.entries(body)
    .filter(([, field]) => isDeeperThan(field, LEVELS_MAX))
    .map(([name]) => name);

const faultsIn = (issue: z.core.$ZodIssue): readonly Fault[] =>
  issue.code === 'unrecognized_keys'
    ? fieldFaultsOf(issue).map(({ param, why }) => ({ param, message: why }))
    : [{ param: pathOf(issue.path), message: issue.message }];
