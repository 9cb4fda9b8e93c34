import { AgentHistoryQuery } from '#areas/agents/agent-history.handler.js';
import { type AgentsErrorCode } from '#areas/agents/agents.errors.js';
import { followController } from '../sse/follow.controller.js';
import { presentAgentEvent } from './agents.presenter.js';

export const AgentEventsController = followController({
  area: 'agents',
  path: 'api/v1/agents/sessions/:id/events',
  noun: 'session',
  name: 'AgentsController',
  endsAfter: 'the session',
  example:
    'id: 1\nevent: planned\ndata: {"session_id":"0198…","recorded_at":"2026-11-22T06:00:00.000Z",' +
    '"step":1,"action":"tool","tool":"calculator","prompt_tokens":310,"completion_tokens":24,' +
    '"usage_source":"provider"}\n\n',
  failures: ['agent_session_not_found', 'agent_event_unknown'] satisfies readonly AgentsErrorCode[],
  tooMany: 'too_many_agent_streams' satisfies AgentsErrorCode,
  history: (id, reader, after) => new AgentHistoryQuery(id, reader, after),
  present: presentAgentEvent,
});
