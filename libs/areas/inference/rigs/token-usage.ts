import { type JsonObject } from './chat-backend.js';

/** No context is a thousandth of this long; a larger number is a fault or a fraud. */
const TOKENS_MAX = 1_000_000_000;

/**
 * Byte-pair vocabularies give 3 to 5 bytes a token for prose and code in most languages, so text at
 * 8 bytes per token is a low estimate, in favour of the customer.
 */
const BYTES_PER_TOKEN_COUNTED = 8;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isTokenCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= TOKENS_MAX;

/** The tokens that a text has at least; 0 for no text. */
export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN_COUNTED);

/**
 * The least tokens of a prompt, for an upstream that states none: the text of its messages, never
 * above the bound that was held. Pictures and other parts count nothing.
 */
export const countedPromptTokens = (body: JsonObject, promptTokensMax: number): number =>
  Math.min(tokensOfBytes(bytesOfMessages(body['messages'])), promptTokensMax);

const bytesOfMessages = (messages: unknown): number =>
  Array.isArray(messages)
    ? messages.reduce<number>((sum, message) => sum + bytesOfMessage(message), 0)
    : 0;

const bytesOfMessage = (message: unknown): number =>
  isObject(message) ? bytesOfContent(message['content']) : 0;

const bytesOfContent = (content: unknown): number => {
  if (typeof content === 'string') return Buffer.byteLength(content);
  if (!Array.isArray(content)) return 0;
  return content.reduce<number>((sum, part) => sum + bytesOfPart(part), 0);
};

const bytesOfPart = (part: unknown): number =>
  isObject(part) && typeof part['text'] === 'string' ? Buffer.byteLength(part['text']) : 0;

/** The least tokens of a whole answer without usage: the text of all its choices. */
export const countedAnswerTokens = (completion: JsonObject): number => {
  const { choices } = completion;
  if (!Array.isArray(choices)) return 0;
  const bytes = choices.reduce<number>(
    (sum, choice) => sum + (isObject(choice) ? bytesOfMessage(choice['message']) : 0),
    0,
  );
  return tokensOfBytes(bytes);
};

/**
 * How many choices of a chunk carry something. A server sends at least one token with each such
 * delta (more when it batches), so their number is the most that is certain to have been generated
 * and delivered: the count in favour of the customer when a stream states no usage.
 */
export const deltasOf = (choices: readonly unknown[]): number => {
  let deltas = 0;
  for (const choice of choices) {
    if (isObject(choice) && isObject(choice['delta']) && carries(choice['delta'])) deltas += 1;
  }
  return deltas;
};

const carries = (delta: JsonObject): boolean => {
  for (const field in delta) {
    const value = delta[field];
    if (field === 'role' || value === null) continue;
    if (typeof value === 'string' || Array.isArray(value) ? value.length > 0 : isObject(value)) {
      return true;
    }
  }
  return false;
};
