import { type ServerFeature } from '#platform/chats/server-features.js';
import { type CallerDialect, type OriginalRequest } from '#platform/chats/chat-order.js';
import { isPublicUrl } from '#platform/network/public-url.js';
import { type JsonObject } from './chat-backend.js';
import { isObject } from './token-usage.js';

/**
 * A feature that a chat may need beyond text. Adapters are files here, so no server has any. A rig
 * has `private_urls` only if its operator says so: it fetches the URLs of a message from its own
 * network. A rig with `described_images` takes words for the pictures of a message.
 */
export type ChatFeature =
  ServerFeature | 'adapters' | 'private_urls' | 'described_images' | SpokenDialect;

/** Dialects beside the chat: a rig that speaks one takes its requests as they are. */
export type SpokenDialect = Exclude<CallerDialect, 'chat'>;

/** No rig has these unless its operator says so. */
export const STATED_FEATURES: ReadonlySet<ChatFeature> = new Set<ChatFeature>([
  'private_urls',
  'described_images',
  'messages',
  'responses',
]);

/** A feature that a rig must have to answer a request. */
export interface Need {
  readonly feature: ChatFeature;
  /** The field that asks for it. */
  readonly param: string;
}

/** Most requests: any rig of the model will do. */
export const NO_NEEDS: readonly Need[] = [];

/** The features of the embedded engine. */
export const EMBEDDED_FEATURES: ReadonlySet<ChatFeature> = new Set<ChatFeature>([
  'tools',
  'json_schema',
  'logprobs',
  'choices',
  'adapters',
  'described_images',
]);

/** The needs of a request: of its original where a chat cannot express it. */
export const requestNeedsOf = (
  body: JsonObject,
  original: OriginalRequest | undefined,
): readonly Need[] => {
  const { untranslated: param, dialect: feature } = original ?? {};
  if (param === undefined || feature === undefined || feature === 'chat') return needsOf(body);
  return [{ feature, param }];
};

/** The needs of a body as a caller sends it. A malformed field is left to the rig to reject. */
export const needsOf = (body: JsonObject): readonly Need[] => {
  if (isPlain(body)) return NO_NEEDS;
  const needs: Need[] = [];
  for (const [param, featureOf] of FIELDS) {
    const value = body[param];
    if (value === undefined || value === null) continue;
    const feature = featureOf(value);
    if (feature) needs.push({ feature, param });
  }
  const url = privateUrlIn(body['messages']);
  if (url !== null) needs.push({ feature: 'private_urls', param: url });
  return needs.length === 0 ? NO_NEEDS : needs;
};

/** Whether a body has none of the fields that may need a feature but messages, which are texts. */
const isPlain = (body: JsonObject): boolean => {
  for (const field in body) if (field !== 'messages' && FIELD_NAMES.has(field)) return false;
  const { messages } = body;
  if (!Array.isArray(messages)) return false;
  for (const message of messages) if (partsOf(message).length > 0) return false;
  return true;
};

type FeatureOf = (value: unknown) => ChatFeature | null;

const isFilledList: FeatureOf = (value) =>
  Array.isArray(value) && value.length > 0 ? 'tools' : null;

const isNonZero: FeatureOf = (value) => (value === 0 ? null : 'penalties');

const formatOf: FeatureOf = (value) => {
  const type = isObject(value) ? value['type'] : null;
  return type === 'json_schema' || type === 'json_object' ? type : null;
};

/** The parts of a message; most have a text and none. */
const partsOf = (message: unknown): readonly unknown[] => {
  const content = isObject(message) ? message['content'] : null;
  return Array.isArray(content) ? content : NO_PARTS;
};
const NO_PARTS: readonly unknown[] = [];

/** The first part of a message that is no text, of the two kinds that rigs differ in. */
const mediaOf: FeatureOf = (messages) => {
  if (!Array.isArray(messages)) return null;
  for (const message of messages) {
    for (const part of partsOf(message)) {
      const type = isObject(part) ? part['type'] : null;
      if (type === 'image_url') return 'images';
      if (type === 'input_audio') return 'audio';
    }
  }
  return null;
};

/** Servers take a URL as a text or in an object: `image_url`, `video_url`, `audio_url`. */
const URL_FIELD = /_url$/;
const DATA_URL = /^data:/i;

/** The first field whose URL is neither public nor the data itself. */
const privateUrlIn = (messages: unknown): string | null => {
  if (!Array.isArray(messages)) return null;
  for (let n = 0; n < messages.length; n += 1) {
    const parts = partsOf(messages[n]);
    for (let m = 0; m < parts.length; m += 1) {
      const field = privateUrlOf(parts[m]);
      if (field !== null) return `messages[${n}].content[${m}].${field}`;
    }
  }
  return null;
};

const privateUrlOf = (part: unknown): string | null => {
  if (!isObject(part)) return null;
  for (const [name, value] of Object.entries(part)) {
    if (!URL_FIELD.test(name)) continue;
    const url = isObject(value) ? value['url'] : value;
    if (typeof url !== 'string' || DATA_URL.test(url) || isPublicUrl(url)) continue;
    return isObject(value) ? `${name}.url` : name;
  }
  return null;
};

const FIELDS: readonly (readonly [string, FeatureOf])[] = [
  ['tools', isFilledList],
  ['response_format', formatOf],
  ['logprobs', (value) => (value === true ? 'logprobs' : null)],
  ['n', (value) => (typeof value === 'number' && value > 1 ? 'choices' : null)],
  ['messages', mediaOf],
  ['audio', () => 'audio'],
  [
    'logit_bias',
    (value) => (isObject(value) && Object.keys(value).length === 0 ? null : 'logit_bias'),
  ],
  ['presence_penalty', isNonZero],
  ['frequency_penalty', isNonZero],
  ['adapter', () => 'adapters'],
];

const FIELD_NAMES: ReadonlySet<string> = new Set(FIELDS.map(([param]) => param));
