import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const agentsErrors = {
  agent_session_not_found: { status: 404, param: 'id' },
  agent_event_unknown: { status: 400, param: 'Last-Event-ID' },
  agent_cursor_unknown: { status: 400, param: 'after' },
  agent_planner_not_found: { status: 404, param: 'planner_model' },
  agent_tool_unknown: { status: 400, param: 'tools' },
  too_many_agent_streams: { status: 429 },
  agent_budget_exceeded: { status: 409 },
  mcp_server_not_found: { status: 404, param: 'server' },
  mcp_server_exists: { status: 409, param: 'name' },
  mcp_url_not_allowed: { status: 400, param: 'url' },
  mcp_tool_not_found: { status: 404, param: 'tool' },
  mcp_tool_quarantined: { status: 409, param: 'tool' },
  mcp_schema_changed: { status: 409, param: 'schema_sha256' },
  too_many_mcp_servers: { status: 409 },
  mcp_list_too_large: { status: 422 },
  mcp_server_unavailable: { status: 503 },
  mcp_calls_not_priced: { status: 501 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type AgentsErrorCode = keyof typeof agentsErrors;

export const rejectAgents = (code: AgentsErrorCode, detail: string): never => {
  throw new DomainError<AgentsErrorCode>(code, detail);
};
