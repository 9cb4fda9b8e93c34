import { type Fields } from '#platform/chats/read-answer.js';
import { foreignToolName } from '#platform/tools/foreign-tool.js';
import { type ListedTool } from './mcp-tool.js';

/** The list of the tools of a server. */
export interface McpListItem {
  readonly type: 'mcp_list_tools';
  readonly id: string;
  readonly server_label: string;
  readonly tools: readonly Fields[];
  readonly error: null;
}

interface CalledTool {
  readonly id: string;
  readonly server_label: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

export interface McpCallItem extends CalledTool {
  readonly type: 'mcp_call';
  readonly approval_request_id: string | null;
  readonly output: string | null;
  readonly error: string | null;
  readonly status: 'in_progress' | 'calling' | 'completed' | 'incomplete' | 'failed';
}

/** A call that is not made before the caller approves it. */
export interface McpApprovalRequest extends CalledTool {
  readonly type: 'mcp_approval_request';
}

/** The decision of the caller. */
export interface McpApprovalResponse {
  readonly type: 'mcp_approval_response';
  readonly id: string;
  readonly approval_request_id: string;
  readonly approve: boolean;
  readonly reason: string | null;
}

export type McpItem = McpListItem | McpCallItem | McpApprovalRequest | McpApprovalResponse;

export const MCP_TYPES = [
  'mcp_list_tools',
  'mcp_call',
  'mcp_approval_request',
  'mcp_approval_response',
] as const satisfies readonly McpItem['type'][];

/** The result of a call: what the server returned, or why the call failed. */
export type McpResult = { readonly output: string } | { readonly error: string };

export const mcpListItem = (
  id: string,
  server: string,
  tools: readonly ListedTool[],
): McpListItem => ({
  type: 'mcp_list_tools',
  id,
  server_label: server,
  tools: tools.map(({ name, description, parameters, annotations }) => ({
    name,
    description,
    input_schema: parameters,
    annotations,
  })),
  error: null,
});

/** An ended call. */
export const mcpCallItem = (
  called: CalledTool,
  result: McpResult,
  approvalRequestId: string | null = null,
): McpCallItem => ({
  type: 'mcp_call',
  id: called.id,
  server_label: called.server_label,
  name: called.name,
  arguments: called.arguments,
  approval_request_id: approvalRequestId,
  output: 'output' in result ? result.output : null,
  error: 'error' in result ? result.error : null,
  status: 'output' in result ? 'completed' : 'failed',
});

/** A call of a tool with its result, as the messages of a chat. */
export const mcpMessages = (
  { id, server_label, name, arguments: json }: CalledTool,
  content: string,
): readonly Fields[] => {
  const call = { name: foreignToolName(server_label, name), arguments: json };
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: call }],
    },
    { role: 'tool', tool_call_id: id, content },
  ];
};

/** The text of a call for the model. */
export const resultText = ({ output, error }: McpCallItem): string =>
  output ?? `The call failed: ${error ?? 'it has no result'}`;

export const declinedText = ({ reason }: McpApprovalResponse): string =>
  `The user declined this call.${reason === null ? '' : ` ${reason}`}`;
