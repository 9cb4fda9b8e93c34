import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { type Fields, isFields } from '#platform/chats/read-answer.js';
import { type FileSearchItem } from './file-search.js';
import { MCP_TYPES, mcpCallItem, type McpItem } from './mcp-items.js';

/** The items that a response takes as input and has as output, as far as chats know them. */
export type Item = MessageItem | FunctionCallItem | FunctionOutputItem | FileSearchItem | McpItem;

export interface MessageItem {
  readonly type: 'message';
  readonly id: string;
  readonly role: 'system' | 'developer' | 'user' | 'assistant';
  readonly status: ItemStatus;
  readonly content: readonly Fields[];
}

export interface FunctionCallItem {
  readonly type: 'function_call';
  readonly id: string;
  readonly call_id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
  readonly status: ItemStatus;
}

export interface FunctionOutputItem {
  readonly type: 'function_call_output';
  readonly id: string;
  readonly call_id: string;
  readonly output: string | readonly Fields[];
  readonly status: ItemStatus;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);
const ID_LENGTH_MAX = 128;

/**
 * The input of a request, with an id for each item that has none.
 * @param key the seed of new ids
 * @throws RejectedRequestError 400 that names the field
 */
export const inputItemsOf = (input: unknown, key: string): readonly Item[] => {
  if (typeof input === 'string') {
    return [itemOf({ role: 'user', content: input }, 'input', `${key}i0`)];
  }
  if (!Array.isArray(input)) throw rejectedField('input', 'expected a string or a list of items');
  return input.map((item, n) => itemOf(item, `input[${n}]`, `${key}i${n}`));
};

const itemOf = (item: unknown, at: string, key: string): Item => {
  if (!isFields(item)) throw rejectedField(at, 'expected an object');
  switch (item['type'] ?? 'message') {
    case 'message':
      return messageItemOf(item, at, key);
    case 'function_call':
      return {
        type: 'function_call',
        id: idOf(item, `fc_${key}`),
        call_id: stringIn(item, 'call_id', at),
        name: stringIn(item, 'name', at),
        arguments: stringIn(item, 'arguments', at),
        status: 'completed',
      };
    case 'function_call_output': {
      const { output } = item;
      return {
        type: 'function_call_output',
        id: idOf(item, `fco_${key}`),
        call_id: stringIn(item, 'call_id', at),
        output: typeof output === 'string' ? output : partsOf(output, 'user', `${at}.output`),
        status: 'completed',
      };
    }
    case 'file_search_call':
      // The output of a response that is sent back. Its passages are searched for again.
      return {
        type: 'file_search_call',
        id: idOf(item, `fs_${key}`),
        status: 'completed',
        queries: [],
        results: null,
      };
    default:
      return mcpItemOf(item, at, key);
  }
};

const KNOWN_TYPES = [
  ...['message', 'function_call', 'function_call_output', 'file_search_call'],
  ...MCP_TYPES,
].join(', ');

const mcpItemOf = (item: Fields, at: string, key: string): McpItem => {
  switch (item['type']) {
    case 'mcp_list_tools':
      return {
        type: 'mcp_list_tools',
        id: idOf(item, `mcpl_${key}`),
        server_label: stringIn(item, 'server_label', at),
        tools: [],
        error: null,
      };
    case 'mcp_call': {
      const { output, error } = item;
      const result =
        typeof output === 'string'
          ? { output }
          : { error: typeof error === 'string' ? error : JSON.stringify(error ?? null) };
      return mcpCallItem(calledIn(item, at, `mcp_${key}`), result);
    }
    case 'mcp_approval_request':
      return { type: 'mcp_approval_request', ...calledIn(item, at, `mcpr_${key}`) };
    case 'mcp_approval_response': {
      const { approve, reason } = item;
      if (typeof approve !== 'boolean') throw rejectedField(`${at}.approve`, 'expected a boolean');
      return {
        type: 'mcp_approval_response',
        id: idOf(item, `mcpa_${key}`),
        approval_request_id: stringIn(item, 'approval_request_id', at),
        approve,
        reason: typeof reason === 'string' ? reason : null,
      };
    }
    default:
      throw rejectedField(`${at}.type`, `expected one of ${KNOWN_TYPES}`);
  }
};

const calledIn = (item: Fields, at: string, id: string) => ({
  id: idOf(item, id),
  server_label: stringIn(item, 'server_label', at),
  name: stringIn(item, 'name', at),
  arguments: stringIn(item, 'arguments', at),
});

const messageItemOf = (item: Fields, at: string, key: string): MessageItem => {
  const { role, content } = item;
  if (!ROLES.has(role)) {
    throw rejectedField(`${at}.role`, 'expected system, developer, user or assistant');
  }
  const known = role as MessageItem['role'];
  return {
    type: 'message',
    id: idOf(item, `msg_${key}`),
    role: known,
    status: 'completed',
    content:
      typeof content === 'string'
        ? [textPartOf(known, content)]
        : partsOf(content, known, `${at}.content`),
  };
};

const textPartOf = (role: MessageItem['role'], text: string): Fields =>
  role === 'assistant'
    ? { type: 'output_text', text, annotations: [] }
    : { type: 'input_text', text };

const PARTS_MAX = 1_000;

const partsOf = (content: unknown, role: MessageItem['role'], at: string): readonly Fields[] => {
  if (!Array.isArray(content)) throw rejectedField(at, 'expected a string or a list of parts');
  if (content.length > PARTS_MAX) throw rejectedField(at, `expected at most ${PARTS_MAX} parts`);
  return content.map((part: unknown, n) => checkedPart(part, role, `${at}[${n}]`));
};

const checkedPart = (part: unknown, role: MessageItem['role'], at: string): Fields => {
  if (!isFields(part)) throw rejectedField(at, 'expected an object');
  const { type } = part;
  if (type === 'output_text' || type === 'input_text') {
    return textPartOf(role, stringIn(part, 'text', at));
  }
  if (type === 'refusal' && role === 'assistant') {
    return { type, refusal: stringIn(part, 'refusal', at) };
  }
  if (type === 'input_image' && role !== 'assistant') {
    rejectReference(part, ['file_id'], at);
    const { detail } = part;
    const image_url = stringIn(part, 'image_url', at);
    return { type, image_url, ...(detail != null && { detail }) };
  }
  if (type === 'input_file' && role !== 'assistant') {
    rejectReference(part, ['file_id', 'file_url'], at);
    const { filename } = part;
    const file_data = stringIn(part, 'file_data', at);
    return { type, file_data, ...(typeof filename === 'string' && { filename }) };
  }
  throw rejectedField(`${at}.type`, `a message of the role ${role} has no such part`);
};

const rejectReference = (part: Fields, names: readonly string[], at: string): void => {
  const name = names.find((one) => part[one] != null);
  if (name !== undefined) throw rejectedField(`${at}.${name}`, 'send the content itself');
};

const stringIn = (fields: Fields, name: string, at: string): string => {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw rejectedField(`${at}.${name}`, 'expected a string');
};

const idOf = ({ id }: Fields, otherwise: string): string =>
  typeof id === 'string' && id.length >= 1 && id.length <= ID_LENGTH_MAX ? id : otherwise;
