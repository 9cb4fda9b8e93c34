import { type Item } from '#areas/responses/translation/input-items.js';
import {
  type McpApprovalRequest,
  type McpApprovalResponse,
} from '#areas/responses/translation/mcp-items.js';
import { type RemoteTool } from '#areas/responses/translation/mcp-tool.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';

/** A call that the caller has approved. */
export interface ApprovedCall {
  readonly request: McpApprovalRequest;
  readonly tool: RemoteTool;
}

/**
 * The approved calls of a request. A call is approved or declined once.
 * @param said the items of the responses that it continues
 * @throws RejectedRequestError 400 that names the field
 */
export const approvalsIn = (
  input: readonly Item[],
  said: readonly Item[],
  tools: readonly RemoteTool[],
): readonly ApprovedCall[] => {
  const requests = new Map<string, McpApprovalRequest>();
  for (const item of [...said, ...input]) {
    if (item.type === 'mcp_approval_request') requests.set(item.id, item);
  }
  const decided = new Set(
    said.flatMap((item) => (isDecision(item) ? item.approval_request_id : [])),
  );
  return input.flatMap((item, n): ApprovedCall[] => {
    if (!isDecision(item)) return [];
    const at = `input[${n}].approval_request_id`;
    const request = requests.get(item.approval_request_id);
    if (!request) {
      throw rejectedField(at, 'expected the id of an mcp_approval_request of this conversation');
    }
    if (decided.has(request.id))
      throw rejectedField(at, 'an earlier request has decided this call');
    decided.add(request.id);
    if (!item.approve) return [];
    const tool = tools.find(
      ({ server, name }) => server === request.server_label && name === request.name,
    );
    if (tool) return [{ request, tool }];
    const { server_label: server, name } = request;
    throw rejectedField(at, `expected the tool ${name} of the server ${server} among the tools`);
  });
};

const isDecision = (item: Item): item is McpApprovalResponse =>
  item.type === 'mcp_approval_response';
