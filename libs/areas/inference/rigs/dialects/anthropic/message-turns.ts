import { type JsonObject } from '../../chat-backend.js';
import { rejection } from '../../field-rejection.js';
import { isObject } from '../../token-usage.js';
import { isThought } from './message-answer.js';

/** A turn that is being put together: messages of one side in a row are one turn. */
interface Turn {
  readonly role: string;
  readonly content: JsonObject[];
}

/** The messages of a chat as Anthropic's system prompt and turns. */
export interface Turns {
  readonly system: readonly JsonObject[] | undefined;
  readonly messages: readonly Turn[];
}

/** @throws RigError `refused` that names a message which cannot be translated */
export const turnsOf = (rig: string, messages: unknown): Turns => {
  const system: JsonObject[] = [];
  const turns: Turn[] = [];
  for (const [n, message] of (Array.isArray(messages) ? messages : []).entries()) {
    const at = `messages[${n}]`;
    if (!isObject(message)) throw rejection(rig, at, 'invalid_type', 'it must be an object');
    const { role, content } = message;
    if (role === 'system' || role === 'developer') {
      const blocks = partsOf(rig, content, `${at}.content`);
      if (turns.length === 0) system.push(...blocks);
      else turns.push({ role: 'system', content: [...blocks] });
      continue;
    }
    add(turns, turnOf(rig, message, at));
  }
  return { system: system.length > 0 ? system : undefined, messages: turns };
};

const add = (turns: Turn[], turn: Turn): void => {
  const last = turns.at(-1);
  if (last?.role === turn.role) last.content.push(...turn.content);
  else turns.push(turn);
};

const turnOf = (rig: string, message: JsonObject, at: string): Turn => {
  const { role, content } = message;
  switch (role) {
    case 'user':
      return { role, content: [...partsOf(rig, content, `${at}.content`)] };
    case 'assistant':
      return { role, content: assistantBlocks(rig, message, at) };
    case 'tool':
      return { role: 'user', content: [toolResultOf(rig, message, at)] };
    default:
      throw rejection(rig, `${at}.role`, 'unsupported_value', 'Anthropic has no such role');
  }
};

/** Thoughts come first and unchanged: their signatures are of these very blocks. */
const assistantBlocks = (rig: string, message: JsonObject, at: string): JsonObject[] => {
  const { content, thinking_blocks: thoughts, tool_calls: calls, refusal } = message;
  const said = content ?? refusal ?? null;
  return [
    ...(Array.isArray(thoughts) ? thoughts.filter(isObject) : []).filter(({ type }) =>
      isThought(type),
    ),
    ...(said === null || said === '' ? [] : partsOf(rig, said, `${at}.content`)),
    ...(Array.isArray(calls) ? calls : []).map((call: unknown, n) =>
      toolUseOf(rig, call, `${at}.tool_calls[${n}]`),
    ),
  ];
};

const toolUseOf = (rig: string, call: unknown, at: string): JsonObject => {
  const { id, function: called } = isObject(call) ? call : {};
  const { name, arguments: json } = isObject(called) ? called : {};
  const input = json === '' || json === undefined ? {} : objectIn(json);
  if (input) return { type: 'tool_use', id, name, input };
  const why = 'Anthropic takes a JSON object';
  throw rejection(rig, `${at}.function.arguments`, 'invalid_value', why);
};

const objectIn = (json: unknown): JsonObject | null => {
  if (typeof json !== 'string') return null;
  try {
    const parsed: unknown = JSON.parse(json);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
};

const toolResultOf = (rig: string, message: JsonObject, at: string): JsonObject => {
  const { tool_call_id: id, content, cache_control: cached } = message;
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: typeof content === 'string' ? content : partsOf(rig, content, `${at}.content`),
    ...(isObject(cached) && { cache_control: cached }),
  };
};

const partsOf = (rig: string, content: unknown, at: string): readonly JsonObject[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((part: unknown, n) => {
    if (isObject(part)) return blockOf(rig, part, `${at}[${n}]`);
    throw rejection(rig, `${at}[${n}]`, 'invalid_type', 'it must be an object');
  });
};

const blockOf = (rig: string, part: JsonObject, at: string): JsonObject => {
  const { cache_control: cached } = part;
  return { ...contentOf(rig, part, at), ...(isObject(cached) && { cache_control: cached }) };
};

const contentOf = (rig: string, part: JsonObject, at: string): JsonObject => {
  switch (part['type']) {
    case 'text':
      return { type: 'text', text: part['text'] };
    case 'refusal':
      return { type: 'text', text: part['refusal'] };
    case 'image_url': {
      const { image_url: image } = part;
      const url = isObject(image) ? image['url'] : image;
      return { type: 'image', source: sourceOf(rig, url, `${at}.image_url.url`) };
    }
    case 'file':
      return documentOf(rig, part['file'], `${at}.file`);
    default: {
      const why = 'Anthropic takes text, image_url and file here';
      throw rejection(rig, `${at}.type`, 'unsupported_value', why);
    }
  }
};

const DATA_URL = /^data:(?<type>[a-z0-9.+/-]+)(?:;[^,;]*)*;base64,/i;

const sourceOf = (rig: string, url: unknown, at: string): JsonObject => {
  if (typeof url !== 'string') throw rejection(rig, at, 'invalid_type', 'it must be a text');
  const found = DATA_URL.exec(url);
  if (found) {
    const media_type = found.groups?.['type']?.toLowerCase();
    return { type: 'base64', media_type, data: url.slice(found[0].length) };
  }
  if (/^https?:/i.test(url)) return { type: 'url', url };
  throw rejection(rig, at, 'unsupported_value', 'it must be data in base64, or an http URL');
};

const documentOf = (rig: string, file: unknown, at: string): JsonObject => {
  const { file_data: data, filename } = isObject(file) ? file : {};
  if (data === undefined) {
    throw rejection(rig, at, 'unsupported_value', 'only file_data is translated, and no file_id');
  }
  const source = sourceOf(rig, data, `${at}.file_data`);
  const isText = source['media_type'] === 'text/plain' && typeof source['data'] === 'string';
  return {
    type: 'document',
    source: isText
      ? { ...source, type: 'text', data: Buffer.from(String(source['data']), 'base64').toString() }
      : source,
    ...(typeof filename === 'string' && { title: filename }),
  };
};
