import { describe, it } from '@jest/globals';
import { WorkflowRunLeft, WorkflowRunTaken } from '#events/workflows/workflow-run.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { workflowRunDecider } from './workflow-run.decider.js';
import { began, ended, LATER, node, ofRun, over, RUN, started } from './workflow-run.fixture.js';

const run = deciderSpecOf(workflowRunDecider);

describe('a run that processes take', () => {
  const plan = started(node('a'), node('b'));
  const take = { type: 'TakeRun', data: { runId: RUN, takenAt: LATER } } as const;
  const leave = { type: 'LeaveRun', data: { runId: RUN, leftAt: LATER } } as const;
  const taken = WorkflowRunTaken.of({ ...ofRun, takenAt: LATER });
  const left = WorkflowRunLeft.of({ ...ofRun, leftAt: LATER });
  const parked = (name: string) =>
    ended(name, 'cancelled', {
      code: 'cancelled',
      message: '2 processes ended while they worked on the run: no other one takes it',
    });

  it('is parked where the third would take it after two that died', () => {
    run.given(plan).when(take).then(taken);
    run.given(plan, taken).when(take).then(taken);
    run.given(plan, taken, taken).when(take).then(parked('a'), parked('b'), over('parked'));
    run.given(plan, over('completed')).when(take).thenNothing();
  });

  it('continues after processes that have left it in order', () => {
    run.given(plan, taken, taken).when(leave).then(left);
    run.given(plan, taken, taken, left).when(take).then(taken);
    run.given(plan).when(leave).thenNothing();
  });

  it('continues after a process that ended an attempt before it died', () => {
    run
      .given(plan, taken, began('a'), ended('a'), taken, began('b'))
      .when(take)
      .then(parked('b'), over('parked'));
    run.given(plan, taken, taken, began('a'), ended('a')).when(take).then(taken);
  });
});
