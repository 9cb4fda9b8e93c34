import { RunHistoryQuery } from '#areas/workflows/runs/run-history.handler.js';
import { type WorkflowsErrorCode } from '#areas/workflows/workflows.errors.js';
import { followController } from '../sse/follow.controller.js';
import { presentRunEvent } from './workflows.presenter.js';

export const RunEventsController = followController({
  area: 'workflows',
  path: 'api/v1/workflows/runs/:id/events',
  noun: 'run',
  name: 'WorkflowRunsController',
  endsAfter: 'the charge',
  example:
    'id: 3\nevent: node_ended\ndata: {"run_id":"0198…","recorded_at":"2026-11-22T10:00:00.000Z",' +
    '"node":"draft","status":"succeeded","counters":{"completion_tokens":120}}\n\n',
  failures: [
    'workflow_run_not_found',
    'workflow_event_unknown',
  ] satisfies readonly WorkflowsErrorCode[],
  tooMany: 'too_many_workflow_streams' satisfies WorkflowsErrorCode,
  history: (id, reader, after) => new RunHistoryQuery(id, reader, after),
  present: presentRunEvent,
});
