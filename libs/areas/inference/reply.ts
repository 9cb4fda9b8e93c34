import { type ChatChunk, type JsonObject } from './rigs/chat-backend.js';

const asObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : {};

const textOf = (part: JsonObject, holder: 'message' | 'delta'): string => {
  const { content } = asObject(part[holder]);
  return typeof content === 'string' ? content : '';
};

const textsOf = (answer: JsonObject, holder: 'message' | 'delta'): string => {
  const { choices } = answer;
  if (!Array.isArray(choices)) return '';
  let texts = '';
  for (const choice of choices) texts += textOf(asObject(choice), holder);
  return texts;
};

/** The text of a whole answer, for its keyed hash; all choices after one another. */
export const replyText = (completion: JsonObject): string => textsOf(completion, 'message');

/** The text that one chunk of a stream adds. */
export const deltaText = (chunk: ChatChunk): string => textsOf(chunk, 'delta');

/** A longer name is not recorded: it comes from the rig, and an event has a limit. */
const MODEL_LENGTH_MAX = 256;

/** The model that the rig says answered. */
export const modelOf = (answer: JsonObject): string | null => {
  const { model } = answer;
  if (typeof model !== 'string' || model === '') return null;
  return model.length > MODEL_LENGTH_MAX ? null : model;
};
