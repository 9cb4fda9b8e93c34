import { type JsonObject } from '../../chat-backend.js';
import { isObject } from '../../token-usage.js';
import { rejectedField } from '../../field-rejection.js';

/** The mark behind a part up to which a provider is to cache the prompt: `cache_control`. */
interface Cacheable {
  readonly cache?: JsonObject;
}

/** Bytes that are no text: a picture, a sound, a document. */
export interface Media extends Cacheable {
  readonly type: 'media';
  /** Of the message part: `image_url`, `input_audio`, `file`. */
  readonly kind: string;
  readonly mimeType: string;
  /** In base64. */
  readonly data: string;
  readonly at: string;
}

export interface Text extends Cacheable {
  readonly type: 'text';
  readonly text: string;
  /** Of Gemini: `extra_content.google.thought_signature` of the message. */
  readonly signature?: string;
}

export interface Call {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** Of Gemini: `extra_content.google.thought_signature` of the call. */
  readonly signature?: string;
  readonly at: string;
}

export interface Result extends Cacheable {
  readonly type: 'result';
  readonly id: string;
  /** Of the function that was called. */
  readonly name: string;
  readonly parts: readonly (Text | Media)[];
}

export type Part = Text | Media | Call | Result;

/** The messages of one side before the other answers. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly Part[];
  /** The `thinking_blocks` of an assistant, with the signatures of Claude. */
  readonly thoughts: readonly JsonObject[];
}

export interface Conversation {
  /** Of the roles `system` and `developer`, wherever they are. */
  readonly instructions: readonly Text[];
  /** Their roles alternate. */
  readonly turns: readonly Turn[];
}

/**
 * The messages of a chat as turns, for providers whose roles alternate.
 * @throws RigError `refused` that names the field which has no place in a turn
 */
export const conversationOf = (messages: unknown): Conversation => {
  const instructions: Text[] = [];
  const turns: Turn[] = [];
  const names = new Map<string, string>();
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  for (const [n, message] of list.entries()) {
    const at = `messages[${n}]`;
    if (!isObject(message)) throw rejectedField(at, 'invalid_value', 'expected an object');
    const { role } = message;
    if (role === 'system' || role === 'developer') {
      instructions.push(...textsOf(message['content'], at));
      continue;
    }
    const turn = turnOf(message, names, at);
    const last = turns.at(-1);
    if (last?.role === turn.role) turns[turns.length - 1] = joined(last, turn);
    else turns.push(turn);
  }
  return { instructions, turns: turns.filter(({ parts }) => parts.length > 0) };
};

const joined = (last: Turn, next: Turn): Turn => ({
  role: last.role,
  parts: [...last.parts, ...next.parts],
  thoughts: [...last.thoughts, ...next.thoughts],
});

const turnOf = (message: JsonObject, names: Map<string, string>, at: string): Turn => {
  const { role, content } = message;
  switch (role) {
    case 'user':
      return { role, parts: partsOf(content, `${at}.content`), thoughts: [] };
    case 'tool':
      return { role: 'user', parts: [resultOf(message, names, at)], thoughts: [] };
    case 'assistant': {
      const calls = callsOf(message, at);
      for (const { id, name } of calls) names.set(id, name);
      const texts = signed(partsOf(content, `${at}.content`), signatureIn(message));
      const { thinking_blocks: thoughts } = message;
      const blocks: readonly unknown[] = Array.isArray(thoughts) ? thoughts : [];
      return { role, parts: [...texts, ...calls], thoughts: blocks.filter(isObject) };
    }
  }
  const why = 'expected one of system, developer, user, assistant, tool';
  throw rejectedField(`${at}.role`, 'unsupported_value', why);
};

/** The last text has the signature; one without a text has an empty one. */
const signed = (
  parts: readonly (Text | Media)[],
  signature: string | undefined,
): readonly (Text | Media)[] => {
  if (signature === undefined) return parts;
  const last = parts.at(-1);
  return last?.type === 'text'
    ? [...parts.slice(0, -1), { ...last, signature }]
    : [...parts, { type: 'text', text: '', signature }];
};

const signatureIn = ({ extra_content: extra }: JsonObject): string | undefined => {
  const google = isObject(extra) ? extra['google'] : undefined;
  const signature = isObject(google) ? google['thought_signature'] : undefined;
  return typeof signature === 'string' ? signature : undefined;
};

const textsOf = (content: unknown, at: string): readonly Text[] =>
  partsOf(content, `${at}.content`).map((part) => {
    if (part.type === 'text') return part;
    throw rejectedField(part.at, 'unsupported_value', 'expected a text');
  });

/** Empty texts say nothing, and some providers refuse them. */
const partsOf = (content: unknown, at: string): readonly (Text | Media)[] => {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) {
    throw rejectedField(at, 'invalid_value', 'expected a text or a list of parts');
  }
  return content
    .map((part: unknown, n) => {
      const fields = isObject(part) ? part : {};
      return { ...partOf(fields, `${at}[${n}]`), ...cacheIn(fields) };
    })
    .filter((part) => part.type !== 'text' || part.text !== '');
};

/** The `cache_control` of a part, a result or a tool. */
export const cacheIn = ({ cache_control: cache }: JsonObject): Cacheable =>
  isObject(cache) ? { cache } : {};

const partOf = (part: JsonObject, at: string): Text | Media => {
  const { type } = part;
  switch (type) {
    case 'text':
    case 'refusal': {
      const text = part[type];
      if (typeof text === 'string') return { type: 'text', text };
      throw rejectedField(`${at}.${type}`, 'invalid_value', 'expected a text');
    }
    case 'image_url': {
      const { image_url: image } = part;
      const url = isObject(image) ? image['url'] : image;
      const where = isObject(image) ? `${at}.image_url.url` : `${at}.image_url`;
      return mediaOf(type, url, where);
    }
    case 'file': {
      const file = isObject(part['file']) ? part['file'] : {};
      return mediaOf(type, file['file_data'], `${at}.file.file_data`);
    }
    case 'input_audio': {
      const { data, format } = isObject(part['input_audio']) ? part['input_audio'] : {};
      const where = `${at}.input_audio`;
      if (typeof data === 'string' && (format === 'wav' || format === 'mp3')) {
        return mediaFrom(type, `audio/${format}`, data, `${where}.data`);
      }
      throw rejectedField(where, 'unsupported_value', 'expected data and the format wav or mp3');
    }
  }
  const why = 'expected one of text, image_url, input_audio, file';
  throw rejectedField(`${at}.type`, 'unsupported_value', why);
};

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+);base64,/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const mediaOf = (kind: string, url: unknown, at: string): Media => {
  const head = typeof url === 'string' ? DATA_URL.exec(url) : null;
  if (head && typeof url === 'string') {
    return mediaFrom(kind, (head[1] ?? '').toLowerCase(), url.slice(head[0].length), at);
  }
  const why = 'expected a data URL in base64: this provider is sent no other addresses';
  throw rejectedField(at, 'unsupported_value', why);
};

const mediaFrom = (kind: string, mimeType: string, data: string, at: string): Media => {
  if (BASE64.test(data)) return { type: 'media', kind, mimeType, data, at };
  throw rejectedField(at, 'invalid_value', 'expected base64');
};

const callsOf = (message: JsonObject, at: string): readonly Call[] => {
  const { tool_calls: calls = null, function_call: old = null, audio = null } = message;
  if (old !== null) {
    throw rejectedField(`${at}.function_call`, 'unsupported_parameter', 'expected tool_calls');
  }
  if (audio !== null) {
    const why = 'this provider does not know the audio of another';
    throw rejectedField(`${at}.audio`, 'unsupported_parameter', why);
  }
  const list: readonly unknown[] = Array.isArray(calls) ? calls : [];
  return list.map((call, n) => callOf(isObject(call) ? call : {}, `${at}.tool_calls[${n}]`));
};

const callOf = (call: JsonObject, at: string): Call => {
  const { id, type = 'function', function: called } = call;
  if (type !== 'function' || !isObject(called)) {
    throw rejectedField(`${at}.type`, 'unsupported_value', 'expected a function');
  }
  const { name, arguments: json } = called;
  if (typeof id !== 'string' || typeof name !== 'string') {
    throw rejectedField(at, 'invalid_value', 'expected an id and a name');
  }
  const input = inputOf(json);
  const signature = signatureIn(call);
  if (input) {
    return { type: 'call', id, name, input, ...(signature !== undefined && { signature }), at };
  }
  const why = 'expected the JSON of an object';
  throw rejectedField(`${at}.function.arguments`, 'invalid_value', why);
};

const inputOf = (json: unknown): JsonObject | null => {
  if (json === '' || json === undefined) return {};
  if (typeof json !== 'string') return null;
  try {
    const input: unknown = JSON.parse(json);
    return isObject(input) ? input : null;
  } catch {
    return null;
  }
};

const resultOf = (message: JsonObject, names: Map<string, string>, at: string): Result => {
  const { tool_call_id: id, content } = message;
  const name = typeof id === 'string' ? names.get(id) : undefined;
  if (typeof id !== 'string' || name === undefined) {
    const why = 'expected the id of a call of an earlier message';
    throw rejectedField(`${at}.tool_call_id`, 'invalid_value', why);
  }
  const parts = partsOf(content, `${at}.content`);
  return { type: 'result', id, name, parts, ...cacheIn(message) };
};
