import { describe, expect, it } from '@jest/globals';
import {
  WorkflowApprovalDecided,
  WorkflowAttemptFailed,
  WorkflowCallAborted,
  type WorkflowRunEvent,
  WorkflowRunForgotten,
} from '#events/workflows/workflow-run.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type WorkflowRunCommand, workflowRunDecider } from './workflow-run.decider.js';
import {
  AT,
  began,
  control,
  ended,
  failed,
  funded,
  LATER,
  node,
  ofRun,
  orderOf,
  over,
  RUN,
  settled,
  started,
  unfinished,
} from './workflow-run.fixture.js';

const run = deciderSpecOf(workflowRunDecider);

const stateAfter = (...events: readonly WorkflowRunEvent[]) => {
  const state = events.reduce(workflowRunDecider.evolve, workflowRunDecider.initialState);
  if (state.status === 'absent') throw new Error('there is no run');
  return state;
};

const start = (name: string, attempt = 1): WorkflowRunCommand => ({
  type: 'StartNode',
  data: {
    runId: RUN,
    node: name,
    attempt,
    callId: RUN,
    items: null,
    expandedBytes: 0,
    until: null,
    beganAt: LATER,
  },
});

const complete = (
  name: string,
  chosen: string[] | null = null,
  attempt = 1,
): WorkflowRunCommand => ({
  type: 'CompleteNode',
  data: {
    runId: RUN,
    node: name,
    attempt,
    output: null,
    chosen,
    used: [],
    counters: {},
    endedAt: LATER,
  },
});

const fail = (name: string, attempt = 1, isRetryable = true): WorkflowRunCommand => ({
  type: 'FailNode',
  data: {
    runId: RUN,
    node: name,
    attempt,
    isRetryable,
    failedAt: LATER,
    code: 'torn',
    message: 'the cord is torn',
    used: [],
  },
});
const torn = (name: string) => failed(name, 'torn', 'the cord is torn');

const decide = (name: string, isApproved: boolean): WorkflowRunCommand => ({
  type: 'DecideApproval',
  data: { runId: RUN, node: name, isApproved, decidedBy: 'user:7', decidedAt: LATER },
});

const stop = (status: 'cancelled' | 'timed_out'): WorkflowRunCommand => ({
  type: 'StopRun',
  data: { runId: RUN, status, at: LATER },
});

describe('a run', () => {
  it('starts once, with its hold if it has one', () => {
    const data = orderOf(node('a'));
    const { accountId: _, startedAt: __, ...funding } = funded(null, 9).data;
    run
      .given()
      .when({ type: 'StartRun', data, funding: null })
      .then(started(node('a')));
    run
      .given()
      .when({ type: 'StartRun', data, funding })
      .then(started(node('a')), funded(null, 9));
    run
      .given(started(node('a')))
      .when({ type: 'StartRun', data, funding })
      .thenNothing();
  });

  it('is not changed before it starts', () => {
    run.given().when(start('a')).thenThrows('workflow_run_not_found');
  });

  it('begins a node when its rule allows it, once for each attempt', () => {
    const plan = started(node('a'), node('b', ['a']));
    run.given(plan).when(start('a')).then(began('a'));
    run.given(plan, began('a')).when(start('a')).thenNothing();
    run.given(plan).when(start('b')).thenNothing();
    run.given(plan).when(start('a', 2)).thenNothing();
    run.given(plan).when(start('z')).thenNothing();
  });

  it('takes a result of the attempt that is current, once', () => {
    const plan = started(node('a'), node('b'));
    run.given(plan, began('a')).when(complete('a')).then(ended('a'));
    run
      .given(plan, began('a'))
      .when(complete('a', null, 2))
      .thenNothing();
    run.given(plan).when(complete('a')).thenNothing();
    run.given(plan, began('a'), ended('a')).when(complete('a')).thenNothing();
  });

  it('ends with its last node', () => {
    const plan = started(node('a'));
    run.given(plan, began('a')).when(complete('a')).then(ended('a'), over('completed'));
    run.given(plan, began('a')).when(fail('a')).then(torn('a'), over('failed'));
  });

  it('ends the nodes that can no longer run, and their successors', () => {
    const plan = started(node('a'), node('b', ['a']), node('c', ['b']));
    const rest = [unfinished('b', 'upstream_failed'), unfinished('c', 'upstream_failed')];
    run
      .given(plan, began('a'))
      .when(fail('a'))
      .then(torn('a'), ...rest, over('failed'));
  });

  it('is completed when the node after a failure succeeds', () => {
    const rescue = node('b', ['a'], { triggerRule: 'one_failed' });
    const plan = started(node('a'), rescue);
    run.given(plan, began('a')).when(fail('a')).then(torn('a'));
    run
      .given(plan, began('a'), torn('a'), began('b'))
      .when(complete('b'))
      .then(ended('b'), over('completed'));
    run
      .given(plan, began('a'))
      .when(complete('a'))
      .then(ended('a'), unfinished('b', 'skipped'), over('completed'));
  });

  it('skips the nodes that a branch has not chosen, up to a join that allows it', () => {
    const join = node('d', ['b', 'c'], { triggerRule: 'none_failed' });
    const plan = started(control('branch', 'a'), node('b', ['a']), node('c', ['a']), join);
    const chosen = ended('a', 'succeeded', { chosen: ['b'] });
    run
      .given(plan, began('a'))
      .when(complete('a', ['b']))
      .then(chosen, unfinished('c', 'skipped'));
    const facts = [plan, began('a'), chosen, unfinished('c', 'skipped'), began('b')];
    run
      .given(...facts)
      .when(complete('b'))
      .then(ended('b'));
    run
      .given(...facts, ended('b'))
      .when(start('d'))
      .then(began('d'));
  });

  it('repeats an attempt after a pause that grows, as often as its node says', () => {
    const plan = started(node('a', [], { attemptsMax: 3, backOffMsMax: 1_500 }));
    const again = (attempt: number, retryAt: string) =>
      WorkflowAttemptFailed.of({
        ...ofRun,
        node: 'a',
        attempt,
        failedAt: LATER,
        retryAt,
        code: 'torn',
        message: 'the cord is torn',
        used: [],
      });
    const [first, second] = [
      again(1, '2026-11-22T15:00:11.000Z'),
      again(2, '2026-11-22T15:00:11.500Z'),
    ];
    run.given(plan, began('a')).when(fail('a')).then(first);
    run
      .given(plan, began('a'))
      .when(fail('a', 1, false))
      .then(torn('a'), over('failed'));
    const twice = [plan, began('a'), first, began('a', { attempt: 2 })];
    run
      .given(...twice)
      .when(fail('a', 2))
      .then(second);
    run
      .given(...twice)
      .when(fail('a', 1))
      .thenNothing();
    run
      .given(...twice, second, began('a', { attempt: 3 }))
      .when(fail('a', 3))
      .then(torn('a'), over('failed'));
  });

  it('counts an attempt that could not begin', () => {
    const plan = started(node('a'));
    run.given(plan).when(fail('a', 1)).then(torn('a'), over('failed'));
    run.given(plan).when(fail('a', 2)).thenNothing();
    run.given(plan, torn('a')).when(fail('a', 1)).thenNothing();
  });

  it('has the items of a map as nodes, and ends the map after them', () => {
    const plan = started(node('each', [], { kind: 'map' }));
    const facts = [plan, began('each', { items: 2, callId: null })];
    run
      .given(...facts)
      .when(start('each/1'))
      .then(began('each/1'));
    run
      .given(...facts)
      .when(start('each/2'))
      .thenNothing();
    const items = [began('each/0'), ended('each/0'), began('each/1'), ended('each/1')];
    run
      .given(...facts, ...items)
      .when(complete('each'))
      .then(ended('each'), over('completed'));
  });

  it('takes one decision on an approval that waits', () => {
    const plan = started(control('approval', 'ask'), node('act', ['ask']));
    const decided = (isApproved: boolean) =>
      WorkflowApprovalDecided.of({
        ...ofRun,
        node: 'ask',
        isApproved,
        decidedBy: 'user:7',
        decidedAt: LATER,
      });
    run.given(plan, began('ask')).when(decide('ask', true)).then(decided(true), ended('ask'));
    run
      .given(plan, began('ask'))
      .when(decide('ask', false))
      .then(
        decided(false),
        failed('ask', 'rejected', 'rejected by user:7'),
        unfinished('act', 'upstream_failed'),
        over('failed'),
      );
    run.given(plan).when(decide('ask', true)).thenThrows('workflow_approval_not_found');
    run
      .given(plan, began('ask'))
      .when(decide('act', true))
      .thenThrows('workflow_approval_not_found');
    run
      .given(plan, began('ask'), decided(true), ended('ask'))
      .when(decide('ask', true))
      .thenThrows('workflow_approval_decided');
    run.given(plan, over('cancelled')).when(decide('ask', true)).thenThrows('workflow_run_ended');
  });

  it.each(['cancelled', 'timed_out'] as const)(
    'is %s at once, with its unfinished nodes',
    (status) => {
      const plan = started(node('a'), node('b'), node('c', ['a']));
      run
        .given(plan, began('a'), ended('a'), began('b'))
        .when(stop(status))
        .then(unfinished('b', 'cancelled'), unfinished('c', 'cancelled'), over(status));
      run.given(plan, over(status)).when(stop(status)).thenNothing();
      run.given(plan, began('b'), over(status)).when(complete('b')).thenNothing();
    },
  );

  const used = [{ meter: 'knots', quantity: 3 }];

  it('keeps the usage of aborted attempts', () => {
    const plan = started(node('a', [], { attemptsMax: 2 }));
    const cut = fail('a');
    if (cut.type !== 'FailNode') throw new Error('a failed attempt');
    const paid = { ...cut, data: { ...cut.data, used } } as const;
    const retryAt = '2026-11-22T15:00:11.000Z';
    const { node: name, attempt, code, message, failedAt } = paid.data;
    const failure = { ...ofRun, node: name, attempt, code, message, used, failedAt, retryAt };
    const first = WorkflowAttemptFailed.of(failure);
    run.given(plan, began('a')).when(paid).then(first);
    const second = { ...paid, data: { ...paid.data, attempt: 2 } };
    const facts = [plan, began('a'), first, began('a', { attempt: 2 })];
    const last = ended('a', 'failed', { code: 'torn', message: 'the cord is torn', used });
    run
      .given(...facts)
      .when(second)
      .then(last, over('failed'));
    expect(stateAfter(...facts, last).nodes.get('a')?.used).toEqual([...used, ...used]);
  });

  it('records the usage of a call that the end of the run aborted, until it is settled', () => {
    const plan = started(node('a'));
    const data = { runId: RUN, node: 'a', attempt: 1, used, abortedAt: LATER };
    const record = { type: 'RecordAborted', data } as const;
    const aborted = WorkflowCallAborted.of({ ...ofRun, ...data });
    run.given(plan, began('a')).when(record).thenNothing();
    run.given(plan, began('a'), over('cancelled')).when(record).then(aborted);
    run.given(plan, began('a'), over('cancelled'), settled).when(record).thenNothing();
    const { nodes } = stateAfter(plan, began('a'), over('cancelled'), aborted);
    expect(nodes.get('a')?.used).toEqual(used);
  });

  it('counts the expanded bytes of its nodes', () => {
    const plan = started(node('a'), node('b'));
    const facts = [began('a', { expandedBytes: 7 }), began('b', { expandedBytes: 5 })];
    expect(stateAfter(plan, ...facts).expandedBytes).toBe(12);
  });

  it('has no more items than a process can keep', () => {
    const plan = started(
      ...['m', 'n', 'o', 'p', 'q'].map((name) => node(name, [], { kind: 'map' })),
    );
    const begin = (name: string): WorkflowRunCommand => {
      const command = start(name);
      if (command.type !== 'StartNode') throw new Error('a start');
      return { ...command, data: { ...command.data, items: 500 } };
    };
    const many = ['m', 'n', 'o'].map((name) => began(name, { items: 500 }));
    const message = 'a run has at most 2000 nodes and items';
    run
      .given(plan, ...many)
      .when(begin('p'))
      .then(failed('p', 'too_many_items', message));
  });

  it('is settled once after its end, and forgotten once after that', () => {
    const plan = started(node('a'));
    const { accountId: _, startedAt: __, ...settlement } = settled.data;
    const settle = { type: 'SettleRun', data: settlement } as const;
    const forget = { type: 'ForgetRun', data: { runId: RUN, forgottenAt: AT } } as const;
    const forgotten = WorkflowRunForgotten.of({ ...ofRun, forgottenAt: AT });
    run.given(plan).when(settle).thenNothing();
    run.given(plan, over('failed')).when(settle).then(settled);
    run.given(plan, over('failed'), settled).when(settle).thenNothing();
    run.given(plan, over('failed')).when(forget).thenNothing();
    run.given(plan, over('failed'), settled).when(forget).then(forgotten);
    run.given(plan, over('failed'), settled, forgotten).when(forget).thenNothing();
  });
});

describe('the hold of a run', () => {
  const plan = started(node('a'), node('b'));

  it('grows with each order', () => {
    const { hold } = stateAfter(plan, funded(null, 9), funded('b', 4));
    expect(hold?.lines.map(({ quantity }) => quantity)).toEqual([9, 4]);
    expect(hold?.last.node).toBe('b');
  });

  it('is without the order of a node that could not begin', () => {
    const rejected = failed('b', 'insufficient_balance', 'no money');
    const { hold } = stateAfter(plan, funded(null, 9), funded('b', 4), rejected);
    expect(hold?.lines.map(({ quantity }) => quantity)).toEqual([9]);
    expect(stateAfter(plan, funded('b', 4), rejected).hold).toBeNull();
    const later = stateAfter(plan, funded('b', 4), began('b'), rejected);
    expect(later.hold?.lines).toHaveLength(1);
  });
});
