import { describe, expect, it } from '@jest/globals';
import {
  WorkflowApprovalDecided,
  WorkflowAttemptFailed,
  WorkflowCallAborted,
  type WorkflowRunEvent,
  WorkflowRunForgotten,
  WorkflowRunLeft,
  WorkflowRunTaken,
} from '#events/workflows/workflow-run.events.js';
import {
  AT,
  began,
  ended,
  funded,
  LATER,
  node,
  ofRun,
  over,
  RUN,
  settled,
  started,
} from '#areas/workflows/runs/workflow-run.fixture.js';
import { evolve, initialState } from '#areas/workflows/runs/workflow-run.state.js';
import { presentRun, presentRunEvent } from './workflows.presenter.js';

const torn = { code: 'torn', message: 'the cord is torn' };
const used = [{ meter: 'knots', quantity: 1 }];
const retry = { node: 'a', attempt: 1, ...torn, used, failedAt: LATER, retryAt: LATER };
const aborted = { node: 'a', attempt: 1, used, abortedAt: LATER };
const decision = { node: 'a', isApproved: true, decidedBy: 'user:7', decidedAt: LATER };

const events: readonly (readonly [string, WorkflowRunEvent, readonly string[]])[] = [
  ['run_started', started(node('a')), ['workflow_id', 'version', 'run_until']],
  ['run_funded', funded('a', 9), ['node', 'hold_expires_at']],
  ['node_started', began('a'), ['node', 'attempt', 'items', 'until']],
  [
    'attempt_failed',
    WorkflowAttemptFailed.of({ ...ofRun, ...retry }),
    ['node', 'attempt', 'code', 'message', 'used', 'retry_at'],
  ],
  ['call_aborted', WorkflowCallAborted.of({ ...ofRun, ...aborted }), ['node', 'attempt', 'used']],
  ['run_taken', WorkflowRunTaken.of({ ...ofRun, takenAt: LATER }), []],
  ['run_left', WorkflowRunLeft.of({ ...ofRun, leftAt: LATER }), []],
  [
    'node_ended',
    ended('a'),
    ['node', 'status', 'code', 'message', 'chosen', 'used', 'usage_doubts', 'counters'],
  ],
  [
    'approval_decided',
    WorkflowApprovalDecided.of({ ...ofRun, ...decision }),
    ['node', 'approved', 'decided_by'],
  ],
  ['run_ended', over('completed'), ['status']],
  ['run_settled', settled, ['outcome', 'amount_micro_usd']],
  ['run_forgotten', WorkflowRunForgotten.of({ ...ofRun, forgottenAt: LATER }), []],
];

describe('an event of a run as a server-sent event', () => {
  it.each(events)('is %s, without blobs and terms of the hold', (name, event, fields) => {
    const text = presentRunEvent({ revision: 7n, recordedAt: AT, event });
    const [id, title, data = ''] = text.split('\n');
    expect([id, title]).toEqual(['id: 7', `event: ${name}`]);
    const stated = JSON.parse(data.slice('data: '.length)) as Readonly<Record<string, unknown>>;
    expect(Object.keys(stated)).toEqual(['run_id', 'recorded_at', ...fields]);
  });
});

describe('a run', () => {
  const shownAfter = (...facts: readonly WorkflowRunEvent[]) => {
    const run = facts.reduce(evolve, initialState);
    if (run.status === 'absent') throw new Error('there is no run');
    const one = run.nodes.get('a');
    if (!one) throw new Error('there is no node');
    const shown = { path: 'a', node: one, elapsedMs: 5, output: { text: 'b' }, items: null };
    const nodes = [shown];
    const criticalPath = { nodes: ['a'], length: 5 };
    return presentRun({ run, nodes, criticalPath }, Date.parse(LATER));
  };

  it('has elapsed until now, or until its end', () => {
    const going = shownAfter(started(node('a')), began('a'));
    expect(going).toMatchObject({ success: true, run_id: RUN, elapsed_ms: 10_000, ended_at: null });
    expect(going.amount_micro_usd).toBeNull();
    const done = shownAfter(started(node('a')), began('a'), ended('a'), over('failed'), settled);
    expect(done).toMatchObject({ success: false, status: 'failed', amount_micro_usd: '45' });
  });

  it('has the counters of a node, which hide none of its own fields', () => {
    const counters = { words: 3, pages: null, status: 200, attempts: 9 };
    const { node_results: results } = shownAfter(
      started(node('a')),
      began('a'),
      ended('a', 'succeeded', { counters }),
    );
    expect(results['a']).toEqual({
      words: 3,
      pages: null,
      status: 'succeeded',
      kind: 'chat',
      attempts: 1,
      elapsed_ms: 5,
      code: null,
      message: null,
      usage_doubts: [],
      output: { text: 'b' },
    });
  });
});
