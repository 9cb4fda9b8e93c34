import { DomainError } from '#platform/kernel/domain-error.js';
import { type ChatBody, type ChatMessage } from '#platform/chats/chat-order.js';
import { type TokenQuantities } from '#platform/chats/chat-usage.js';
import { type MediaRule } from '#platform/chats/media/media-rules.js';
import { mediaTokensMax } from '#platform/chats/media/media-tokens.js';
import { type InferenceErrorCode } from './inference.errors.js';
import { type ServedModel } from './ports.js';

/** Fields that no template sees; every other one, known to us or not, may enter the prompt. */
const NEVER_IN_PROMPT: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'routing_mode',
  'cleanroom_uuid',
  'adapter',
  'provider',
  'models',
  'stream_options',
  'stop',
  'logit_bias',
]);
/** Role markers and separators that a template adds around one message. */
const TOKENS_PER_MESSAGE = 16;
/** A template adds once: the begin of text, a default system message, the assistant's turn. */
const TOKENS_PER_PROMPT = 128;
/** The instructions on how to call them that a template puts beside tools. */
const TOKENS_FOR_TOOLS = 512;
/** Templates print tools with at most this indent. */
const INDENT = 4;
/** JSON that is nested deeper is neither measured nor accepted: printing it recurses. */
export const LEVELS_MAX = 64;

/**
 * An upper bound on the prompt's tokens: the smaller of two bounds. The first is the bytes of
 * everything that may enter the prompt, since a byte-level tokenizer spends at most one token on a
 * byte. They are counted as widely as templates print, with an allowance for the text of templates.
 * The second is the model's context. Images and audio are counted by the published rules of the
 * providers that may answer; the context alone bounds parts of other kinds.
 *
 * The count stops at the context: the rest of the prompt is not read.
 */
export const promptTokensBound = (
  body: ChatBody,
  { contextTokens, mediaRules = [] }: ServedModel,
): number => {
  const { messages } = body;
  if (hasTemplate(body) || runsTools(body)) return contextTokens;
  let left =
    contextTokens -
    messages.length * TOKENS_PER_MESSAGE -
    TOKENS_PER_PROMPT -
    ((body['tools'] ?? body['functions']) ? TOKENS_FOR_TOOLS : 0);
  for (const field in body) {
    if (left <= 0) return contextTokens;
    if (mayBePrinted(field, body[field])) left -= printedBytes(body[field], INDENT, left);
  }
  for (const message of messages) {
    if (left <= 0) return contextTokens;
    if (hasOtherThanText(message)) {
      const { text, mediaTokens } = withoutMedia(message, mediaRules);
      left -= mediaTokens;
      if (left > 0) left -= printedBytes(text, 0, left);
    } else {
      left -= printedBytes(message, 0, left);
    }
    // Templates parse the arguments, which are JSON within a string, and print them again.
    const calls = message['tool_calls'];
    if (calls != null && left > 0) left -= printedBytes(calls, 0, left);
  }
  return left <= 0 ? contextTokens : contextTokens - left;
};

/** A template of the caller may repeat text, so bytes are no bound. */
const hasTemplate = (body: ChatBody): boolean =>
  body['chat_template'] != null || body['chat_template_kwargs'] != null;

/** A message without its images and audio, and their tokens; Infinity for parts of other kinds. */
const withoutMedia = (
  message: ChatMessage,
  rules: readonly MediaRule[],
): { readonly text: ChatMessage; readonly mediaTokens: number } => {
  const { content, audio } = message;
  if (audio != null || !Array.isArray(content)) return { text: message, mediaTokens: Infinity };
  const parts: readonly unknown[] = content;
  const media = parts.filter((part) => !isText(part));
  const mediaTokens = media.reduce<number>(
    (sum, part) => sum + (mediaTokensMax(part, rules) ?? Infinity),
    0,
  );
  return { text: { ...message, content: parts.filter(isText) }, mediaTokens };
};

/** Whether a template may print the value of a field, with an indent. */
const mayBePrinted = (field: string, value: unknown): boolean =>
  (typeof value === 'string' || (typeof value === 'object' && value !== null)) &&
  !NEVER_IN_PROMPT.has(field);

/**
 * An upper bound of the bytes that a JSON printer writes with at most this indent; Infinity for a
 * value nested deeper than `LEVELS_MAX`.
 * @param bytesMax the count stops above it, and the result is then any number above it
 */
export const printedBytes = (
  value: unknown,
  indent: number,
  bytesMax = Infinity,
  level = 0,
): number => {
  if (typeof value === 'string') {
    // A byte for each character at least.
    return value.length > bytesMax ? Infinity : printedText(value);
  }
  if (typeof value !== 'object' || value === null) return String(value).length;
  if (level === LEVELS_MAX) return Infinity;
  const isList = Array.isArray(value);
  // An entry has a comma and a space, or a comma, the end of a line and an indent.
  const perEntry = 2 + indent * (level + 1);
  let bytes = 2 + (indent === 0 ? 0 : 1 + indent * level);
  for (const key in value) {
    if (bytes > bytesMax) return Infinity;
    if (!isList) bytes += printedBytes(key, 0, bytesMax - bytes) + 2;
    const entry = (value as Readonly<Record<string, unknown>>)[key];
    bytes += perEntry + printedBytes(entry, indent, bytesMax - bytes, level + 1);
  }
  return bytes;
};

/** The bytes of a text in JSON, counted without writing it. */
const escapedBytes = (text: string): number => {
  if (!text.isWellFormed()) return Buffer.byteLength(JSON.stringify(text));
  const bytes = Buffer.from(text);
  let printed = bytes.length + 2;
  for (let at = 0; at < bytes.length; at += 1) printed += ESCAPES[bytes[at] ?? 0] ?? 0;
  return printed;
};

/** The bytes that an escape adds: a backslash, or `\u00` and two digits for most control signs. */
const ESCAPES = new Uint8Array(256).fill(5, 0, 0x20);
for (const sign of '\b\t\n\f\r"\\') ESCAPES[sign.charCodeAt(0)] = 1;

/** A loop is faster than the JSON of a text up to this length, such as the name of a field. */
const LOOP_LENGTH_MAX = 32;
const PLAIN = { first: 0x20, last: 0x7e, quote: 0x22, backslash: 0x5c };

const printedText = (text: string): number => {
  if (text.length <= LOOP_LENGTH_MAX && isPlain(text)) return text.length + 2;
  return escapedBytes(text);
};

/** Whether JSON has the text as it is, a byte for each character. */
const isPlain = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < PLAIN.first || code > PLAIN.last) return false;
    if (code === PLAIN.quote || code === PLAIN.backslash) return false;
  }
  return true;
};

/** Whether the prompt or the answer may hold anything but text. */
export const hasMedia = ({ messages, modalities, audio }: ChatBody): boolean =>
  audio != null || Array.isArray(modalities) || messages.some(hasOtherThanText);

const hasOtherThanText = ({ content, audio }: ChatMessage): boolean =>
  audio != null || (Array.isArray(content) && content.some((part: unknown) => !isText(part)));

/** Parts that are text, of every dialect; the bytes of a sealed thought bound its tokens, too. */
const TEXT_PARTS: ReadonlySet<unknown> = new Set([
  'text',
  'refusal',
  'input_text',
  'output_text',
  'thinking',
  'redacted_thinking',
  'tool_use',
]);

const isText = (part: unknown): boolean => {
  if (typeof part !== 'object' || part === null || !('type' in part)) return false;
  if (TEXT_PARTS.has(part.type)) return true;
  if (part.type !== 'tool_result') return false;
  const { content = '' } = part as { readonly content?: unknown };
  return !Array.isArray(content) || content.every(isText);
};

/** Tools that a provider runs itself add their results to the prompt. */
const runsTools = ({ tools }: ChatBody): boolean =>
  Array.isArray(tools) &&
  tools.some((tool: unknown) => {
    const type = typeof tool === 'object' && tool !== null && 'type' in tool ? tool.type : null;
    return type !== null && !CALLERS_TOOLS.has(type);
  });

const CALLERS_TOOLS: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** How many answers are wanted. */
export const choicesOf = ({ n }: ChatBody): number => n ?? 1;

/**
 * The caller's limit for each choice, or null when no limit was given. The smaller of two limits
 * holds: which of them a rig reads is not known here.
 */
export const outputTokensAsked = (body: ChatBody): number | null => {
  const { max_tokens: old, max_completion_tokens: current } = body;
  return old != null && current != null ? Math.min(old, current) : (current ?? old ?? null);
};

/**
 * The bounds that a request is held for. An answer without a limit gets the model's `max_output`;
 * several choices (`n`) multiply it.
 * @throws DomainError `context_length_exceeded`
 */
export const tokenBounds = (body: ChatBody, model: ServedModel): TokenQuantities => {
  const asked = outputTokensAsked(body);
  if (asked !== null && asked > model.contextTokens) {
    const field = body.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens';
    throw new DomainError<InferenceErrorCode>(
      'context_length_exceeded',
      `${field} ${asked} is above the context of ${model.id}, ${model.contextTokens} tokens`,
    );
  }
  const searches = searchesBound(body);
  const inputTokens = promptTokensBound(body, model);
  const outputTokens = (asked ?? model.maxOutputTokens) * choicesOf(body);
  return searches > 0 ? { inputTokens, outputTokens, searches } : { inputTokens, outputTokens };
};

/** Searches that are held for a request whose tool does not state `max_uses`. */
export const SEARCHES_DEFAULT = 10;
/** Searches of one request that are charged. */
export const SEARCHES_MAX = 100;

/** The searches of the web that a request may cost; a rig that makes more is not paid for them. */
const searchesBound = (body: ChatBody): number => {
  const { tools, web_search_options: options } = body;
  if (tools == null && options == null) return 0;
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const stated = list.filter(isSearchTool).map(({ max_uses: most }) => most);
  if (options != null) stated.push(undefined);
  const searches = stated.reduce<number>(
    (sum, most) => sum + (isCount(most) ? most : SEARCHES_DEFAULT),
    0,
  );
  return Math.min(searches, SEARCHES_MAX);
};

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;

/** `web_search` of OpenAI, `web_search_20250305` of Anthropic. */
const isSearchTool = (tool: unknown): tool is Readonly<Record<string, unknown>> =>
  typeof tool === 'object' &&
  tool !== null &&
  'type' in tool &&
  typeof tool.type === 'string' &&
  tool.type.startsWith('web_search');
