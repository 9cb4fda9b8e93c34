import { type Fields } from '#platform/chats/read-answer.js';
import { type FunctionCallItem, type Item, type MessageItem } from './input-items.js';
import { declinedText, type McpApprovalRequest, mcpMessages, resultText } from './mcp-items.js';

/**
 * Items as the messages of a chat, without loss: the calls that follow a message of the assistant
 * are in it, as chats have them.
 */
export const messagesOf = (items: readonly Item[]): readonly Fields[] => {
  const messages: Fields[] = [];
  const requests = new Map<string, McpApprovalRequest>();
  let calls: Fields[] | null = null;
  for (const item of items) {
    if (item.type === 'function_call') {
      if (!calls) {
        calls = [];
        const last = messages.at(-1);
        const said = last?.['role'] === 'assistant' ? messages.pop() : undefined;
        messages.push({ role: 'assistant', content: null, ...said, tool_calls: calls });
      }
      calls.push(toolCallOf(item));
      continue;
    }
    if (item.type === 'file_search_call' || item.type === 'mcp_list_tools') continue;
    calls = null;
    switch (item.type) {
      case 'message':
        messages.push(messageOf(item));
        break;
      case 'function_call_output':
        messages.push(toolMessageOf(item));
        break;
      case 'mcp_call':
        messages.push(...mcpMessages(item, resultText(item)));
        break;
      case 'mcp_approval_request':
        requests.set(item.id, item);
        break;
      case 'mcp_approval_response': {
        // An approved call is an item of its own.
        const asked = item.approve ? undefined : requests.get(item.approval_request_id);
        if (asked) messages.push(...mcpMessages(asked, declinedText(item)));
      }
    }
  }
  return messages;
};

const toolCallOf = ({ call_id, name, arguments: json }: FunctionCallItem): Fields => ({
  id: call_id,
  type: 'function',
  function: { name, arguments: json },
});

const toolMessageOf = ({ call_id, output }: Extract<Item, { type: 'function_call_output' }>) => ({
  role: 'tool',
  tool_call_id: call_id,
  content: typeof output === 'string' ? output : contentOf(output),
});

const messageOf = ({ role, content }: MessageItem): Fields => ({
  role,
  content: contentOf(content),
});

/** One text is a string, which every server takes. */
const contentOf = (parts: readonly Fields[]): string | readonly Fields[] => {
  const [only] = parts;
  const isText = only?.['type'] === 'input_text' || only?.['type'] === 'output_text';
  if (parts.length === 1 && isText) return only['text'] as string;
  return parts.map(partOf);
};

const partOf = (part: Fields): Fields => {
  switch (part['type']) {
    case 'input_image':
      return {
        type: 'image_url',
        image_url: { url: part['image_url'], ...('detail' in part && { detail: part['detail'] }) },
      };
    case 'input_file': {
      const { file_data, filename } = part;
      return { type: 'file', file: { file_data, ...(filename !== undefined && { filename }) } };
    }
    case 'refusal':
      return part;
    default:
      return { type: 'text', text: part['text'] };
  }
};
