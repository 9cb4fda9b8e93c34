/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const agentsErrors = {
  agent_session_not_found: { status: 404, param: 'id' },
  agent_event_unknown: { status: 400, param: 'Last-Event-ID' },
  agent_cursor_unknown: { status: 400, param: 'after' },
  agent_planner_not_found: { status: 404, param: 'planner_model' },
  agent_tool_unknown: { status: 400, param: 'tools' },
  too_many_agent_streams: { status: 429 },
  agent_budget_exceeded: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type AgentsErrorCode = keyof typeof agentsErrors;
