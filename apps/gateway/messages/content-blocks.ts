import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { type Fields, isFields } from '#platform/chats/read-answer.js';

const BLOCKS_MAX = 1_000;

/**
 * The turns of Anthropic's Messages as the messages of a chat, without loss: a result of a tool is
 * a message of its own, before what the user says with it.
 * @throws RejectedRequestError 400 that names the field
 */
export const chatMessagesOf = (system: unknown, turns: readonly unknown[]): readonly Fields[] => [
  ...systemOf(system, 'system'),
  ...turns.flatMap((turn, n) => messagesOf(turn, `messages[${n}]`)),
];

const systemOf = (system: unknown, at: string): readonly Fields[] => {
  if (system == null || system === '') return [];
  if (typeof system === 'string') return [{ role: 'system', content: system }];
  const content = blocksOf(system, at).map((block, n) => textPartOf(block, `${at}[${n}]`));
  return content.length === 0 ? [] : [{ role: 'system', content: contentOf(content) }];
};

const messagesOf = (turn: unknown, at: string): readonly Fields[] => {
  if (!isFields(turn)) throw rejectedField(at, 'expected an object');
  const { role, content } = turn;
  if (role === 'system') return systemOf(content, `${at}.content`);
  if (role !== 'user' && role !== 'assistant') {
    throw rejectedField(`${at}.role`, 'expected user, assistant or system');
  }
  if (typeof content === 'string') return [{ role, content }];
  const blocks = blocksOf(content, `${at}.content`);
  return role === 'user'
    ? userMessagesOf(blocks, `${at}.content`)
    : [assistantMessageOf(blocks, `${at}.content`)];
};

const userMessagesOf = (blocks: readonly Fields[], at: string): readonly Fields[] => {
  const results: Fields[] = [];
  const parts: Fields[] = [];
  for (const [n, block] of blocks.entries()) {
    const here = `${at}[${n}]`;
    if (block['type'] !== 'tool_result') parts.push(partOf(block, here));
    else if (parts.length > 0) throw rejectedField(here, 'results of tools come first in a turn');
    else results.push(toolMessageOf(block, here));
  }
  return parts.length === 0 ? results : [...results, { role: 'user', content: contentOf(parts) }];
};

/** A chat has no field for a result that is an error, so its text says so. */
const toolMessageOf = (block: Fields, at: string): Fields => {
  const { content, is_error: isError } = block;
  const parts =
    content == null || typeof content === 'string'
      ? [{ type: 'text', text: content ?? '' }]
      : blocksOf(content, `${at}.content`).map((one, n) => partOf(one, `${at}.content[${n}]`));
  const marked = isError === true ? [{ type: 'text', text: 'Error:' }, ...parts] : parts;
  return {
    role: 'tool',
    tool_call_id: stringIn(block, 'tool_use_id', at),
    content: contentOf(marked),
  };
};

const assistantMessageOf = (blocks: readonly Fields[], at: string): Fields => {
  const parts: Fields[] = [];
  const calls: Fields[] = [];
  for (const [n, block] of blocks.entries()) {
    const here = `${at}[${n}]`;
    if (block['type'] === 'tool_use') calls.push(toolCallOf(block, here));
    else if (calls.length > 0) throw rejectedField(here, 'uses of tools come last in a turn');
    else parts.push(textPartOf(block, here));
  }
  return {
    role: 'assistant',
    content: parts.length === 0 ? null : contentOf(parts),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
};

const toolCallOf = (block: Fields, at: string): Fields => {
  const { input } = block;
  if (!isFields(input)) throw rejectedField(`${at}.input`, 'expected an object');
  return {
    id: stringIn(block, 'id', at),
    type: 'function',
    function: { name: stringIn(block, 'name', at), arguments: JSON.stringify(input) },
  };
};

const partOf = (block: Fields, at: string): Fields =>
  block['type'] === 'image' ? imagePartOf(block, at) : textPartOf(block, at);

const textPartOf = (block: Fields, at: string): Fields => {
  if (block['type'] === 'text') {
    const { citations } = block;
    if (citations != null && !(Array.isArray(citations) && citations.length === 0)) {
      throw rejectedField(`${at}.citations`, 'a chat has no citations');
    }
    return { type: 'text', text: stringIn(block, 'text', at) };
  }
  throw rejectedField(
    `${at}.type`,
    'a chat has no such block here; text, image, tool_use and tool_result are supported',
  );
};

const imagePartOf = (block: Fields, at: string): Fields => {
  const { source } = block;
  const here = `${at}.source`;
  if (!isFields(source)) throw rejectedField(here, 'expected an object');
  switch (source['type']) {
    case 'url':
      return { type: 'image_url', image_url: { url: stringIn(source, 'url', here) } };
    case 'base64': {
      const data = stringIn(source, 'data', here);
      const mediaType = stringIn(source, 'media_type', here);
      return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${data}` } };
    }
    default:
      throw rejectedField(`${here}.type`, 'expected base64 or url');
  }
};

/** One text is a string, which every server takes. */
const contentOf = (parts: readonly Fields[]): unknown => {
  const [only] = parts;
  return parts.length === 1 && only?.['type'] === 'text' ? only['text'] : parts;
};

const blocksOf = (content: unknown, at: string): readonly Fields[] => {
  if (!Array.isArray(content)) throw rejectedField(at, 'expected a string or a list of blocks');
  if (content.length > BLOCKS_MAX) throw rejectedField(at, `expected at most ${BLOCKS_MAX} blocks`);
  return content.map((block: unknown, n) => {
    if (isFields(block)) return block;
    throw rejectedField(`${at}[${n}]`, 'expected an object');
  });
};

const stringIn = (fields: Fields, name: string, at: string): string => {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw rejectedField(`${at}.${name}`, 'expected a string');
};
