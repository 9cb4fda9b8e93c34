import { type ServerFeature } from '#platform/chats/server-features.js';
import { type JsonObject } from './chat-backend.js';
import { isObject } from './token-usage.js';

/** What a chat may ask of a rig beyond text. Adapters are files here, so no server has any. */
export type ChatFeature = ServerFeature | 'adapters';

/** A feature that a request cannot do without. */
export interface Need {
  readonly feature: ChatFeature;
  /** The field that asks for it. */
  readonly param: string;
}

/** Most requests: any rig of the model will do. */
export const NO_NEEDS: readonly Need[] = [];

/** What the embedded engine does. */
export const EMBEDDED_FEATURES: ReadonlySet<ChatFeature> = new Set<ChatFeature>([
  'tools',
  'json_schema',
  'logprobs',
  'choices',
  'adapters',
]);

/** The needs of a body as a caller sends it. A malformed field is left to the rig to reject. */
export const needsOf = (body: JsonObject): readonly Need[] => {
  const needs: Need[] = [];
  for (const [param, featureOf] of FIELDS) {
    const value = body[param];
    if (value === undefined || value === null) continue;
    const feature = featureOf(value);
    if (feature) needs.push({ feature, param });
  }
  return needs.length === 0 ? NO_NEEDS : needs;
};

type FeatureOf = (value: unknown) => ChatFeature | null;

const isFilledList: FeatureOf = (value) =>
  Array.isArray(value) && value.length > 0 ? 'tools' : null;

const isNonZero: FeatureOf = (value) => (value === 0 ? null : 'penalties');

const formatOf: FeatureOf = (value) => {
  const type = isObject(value) ? value['type'] : null;
  return type === 'json_schema' || type === 'json_object' ? type : null;
};

/** The first part of a message that is no text, of the two kinds that rigs differ in. */
const mediaOf: FeatureOf = (messages) => {
  if (!Array.isArray(messages)) return null;
  for (const message of messages as readonly unknown[]) {
    const content = isObject(message) ? message['content'] : null;
    if (!Array.isArray(content)) continue;
    for (const part of content as readonly unknown[]) {
      const type = isObject(part) ? part['type'] : null;
      if (type === 'image_url') return 'images';
      if (type === 'input_audio') return 'audio';
    }
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
