import { type JsonObject } from './chat-backend.js';
import { rejection } from './field-rejection.js';
import { type PastCall, type TextMessage } from './text-request.js';
import { isObject } from './token-usage.js';

/** Fields of a message that change its meaning; a template without them would drop them. */
const UNHEARD_FIELDS = ['function_call', 'audio'];

/**
 * The messages of a body as a chat template takes them: the answer of a tool stands with its call.
 * @throws RigError refused
 */
export const messagesOf = (rig: string, messages: unknown): readonly TextMessage[] => {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw rejection(rig, 'messages', 'invalid_type', 'it must be a list of at least one message');
  }
  const read: TextMessage[] = [];
  for (let at = 0; at < messages.length;) {
    const message = messageOf(rig, messages[at], at);
    const calls = callsOf(rig, messages[at], at);
    const results = messages.slice(at + 1, at + 1 + calls.length);
    read.push(
      calls.length === 0 ? message : { ...message, calls: answered(rig, calls, results, at) },
    );
    at += 1 + calls.length;
  }
  return read;
};

const messageOf = (rig: string, message: unknown, index: number): TextMessage => {
  const { role = null, content = null } = isObject(message) ? message : {};
  const known = roleOf(role);
  if (!known) {
    const why =
      role === 'tool'
        ? 'it answers no call of the message before it'
        : 'this model knows system, developer, user, assistant and tool';
    throw rejection(rig, `messages[${index}].role`, 'unsupported_value', why);
  }
  const unheard = isObject(message) && UNHEARD_FIELDS.find((field) => message[field] != null);
  if (unheard) {
    const why = 'this model hears no audio and knows tools only as tool_calls';
    throw rejection(rig, `messages[${index}].${unheard}`, 'unsupported_parameter', why);
  }
  const text = content === null && hasCalls(message) ? '' : textOf(content);
  if (text !== null) return { role: known, content: text };
  const why = 'this model reads text only';
  throw rejection(rig, `messages[${index}].content`, 'unsupported_value', why);
};

const hasCalls = (message: unknown): boolean =>
  isObject(message) && Array.isArray(message['tool_calls']) && message['tool_calls'].length > 0;

interface AskedCall extends Omit<PastCall, 'result'> {
  readonly id: string;
}

const callsOf = (rig: string, message: unknown, index: number): readonly AskedCall[] => {
  const calls = isObject(message) ? (message['tool_calls'] ?? []) : [];
  const param = `messages[${index}].tool_calls`;
  if (!Array.isArray(calls)) throw rejection(rig, param, 'invalid_type', 'it must be a list');
  if (calls.length > 0 && isObject(message) && message['role'] !== 'assistant') {
    throw rejection(rig, param, 'unsupported_value', 'only an assistant calls tools');
  }
  return calls.map((call: unknown, at) => callOf(rig, call, `${param}[${at}]`));
};

const callOf = (rig: string, call: unknown, param: string): AskedCall => {
  const { id, function: called } = isObject(call) ? call : ({} as JsonObject);
  if (typeof id !== 'string')
    throw rejection(rig, `${param}.id`, 'invalid_type', 'it must be a text');
  const { name, arguments: json } = isObject(called) ? called : ({} as JsonObject);
  if (typeof name !== 'string' || name === '') {
    throw rejection(rig, `${param}.function.name`, 'invalid_type', 'it must be a text');
  }
  try {
    return { id, name, arguments: JSON.parse(typeof json === 'string' ? json : '') as unknown };
  } catch {
    const why = 'they must be JSON, as the model wrote them';
    throw rejection(rig, `${param}.function.arguments`, 'invalid_value', why);
  }
};

/** Every call has its answer right behind it, in any order. */
const answered = (
  rig: string,
  calls: readonly AskedCall[],
  results: readonly unknown[],
  index: number,
): readonly PastCall[] =>
  calls.map(({ id, ...call }) => {
    const at = results.findIndex(
      (one) => isObject(one) && one['role'] === 'tool' && one['tool_call_id'] === id,
    );
    const found = results[at];
    if (!isObject(found)) {
      const why = `a message of the role tool must answer the call ${JSON.stringify(id)}`;
      throw rejection(rig, `messages[${index}].tool_calls`, 'invalid_value', why);
    }
    const result = textOf(found['content']);
    if (result !== null) return { ...call, result };
    const param = `messages[${index + 1 + at}].content`;
    throw rejection(rig, param, 'unsupported_value', 'this model reads text only');
  });

const roleOf = (role: unknown): TextMessage['role'] | null => {
  if (role === 'system' || role === 'user' || role === 'assistant') return role;
  return role === 'developer' ? 'system' : null;
};

/** Null for anything that contains a part other than text. */
const textOf = (content: unknown): string | null => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part: unknown) =>
    isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string'
      ? part['text']
      : null,
  );
  return texts.includes(null) ? null : texts.join('\n');
};
