import { describe, expect, it } from '@jest/globals';
import { type WorkflowRunEvent } from '#events/workflows/workflow-run.events.js';
import { HOLD_MS, KEPT_MS, planOf, RENEW_BEFORE_MS } from './run-plan.js';
import { evolve, initialState } from './workflow-run.state.js';
import {
  AT,
  began,
  control,
  ended,
  funded,
  LATER,
  node,
  over,
  settled,
  started,
} from './workflow-run.fixture.js';

const planAfter = (
  events: readonly WorkflowRunEvent[],
  at: string,
  calling: readonly string[] = [],
) => {
  const state = events.reduce(evolve, initialState);
  if (state.status === 'absent') throw new Error('there is no run');
  const { steps, dueAtMs } = planOf(state, Date.parse(at), new Set(calling));
  const shown = steps.map((step) => ('path' in step ? `${step.do} ${step.path}` : step.do));
  return { steps: shown, dueAt: dueAtMs === null ? null : new Date(dueAtMs).toISOString() };
};

const RUN_UNTIL = '2026-11-22T16:00:00.000Z';

describe('what is due for a run', () => {
  it('is to call the nodes that may begin, as many as the limit allows', () => {
    const plan = started(node('a'), node('b'), node('c'), node('d', ['a']));
    expect(planAfter([plan], AT)).toEqual({ steps: ['call a', 'call b'], dueAt: RUN_UNTIL });
    expect(planAfter([plan, began('a')], AT, ['a']).steps).toEqual(['call b']);
    const later = [plan, began('a'), ended('a'), began('b')];
    expect(planAfter(later, AT, ['b']).steps).toEqual(['call c']);
  });

  it('is to go on with a call that an earlier process has begun', () => {
    expect(planAfter([started(node('a')), began('a')], AT).steps).toEqual(['call a']);
  });

  it('is to begin a node that calls nothing, whatever the limit', () => {
    const plan = started(node('a'), node('b'), control('wait', 'w'));
    expect(planAfter([plan], AT, ['a', 'b']).steps).toEqual(['control w']);
  });

  it('is to end a wait at its time, and an approval only when it expires', () => {
    const plan = started(control('wait', 'w'), control('approval', 'ask'));
    const waiting = [plan, began('w', { until: LATER, callId: null }), began('ask')];
    expect(planAfter(waiting, AT)).toEqual({ steps: [], dueAt: LATER });
    expect(planAfter(waiting, LATER).steps).toEqual(['control w']);
    const expiring = [plan, began('ask', { until: LATER })];
    expect(planAfter(expiring, LATER).steps).toEqual(['control w', 'control ask']);
  });

  it('is to gather a map when its items have ended', () => {
    const plan = started(node('each', [], { kind: 'map' }));
    const begun = [plan, began('each', { items: 2, callId: null })];
    expect(planAfter(begun, AT).steps).toEqual(['call each/0', 'call each/1']);
    const one = [...begun, began('each/0'), ended('each/0')];
    expect(planAfter(one, AT, ['each/1']).steps).toEqual([]);
    expect(planAfter([...one, ended('each/1', 'failed')], AT).steps).toEqual(['control each']);
    const none = [plan, began('each', { items: 0, callId: null })];
    expect(planAfter(none, AT).steps).toEqual(['control each']);
  });

  it('is to renew the hold before it ends', () => {
    const plan = started(control('approval', 'ask'));
    const expiresAt = '2026-11-22T15:59:00.000Z';
    const events = [plan, began('ask'), funded(null, 1, expiresAt)];
    const renewAt = new Date(Date.parse(expiresAt) - RENEW_BEFORE_MS).toISOString();
    expect(planAfter(events, AT)).toEqual({ steps: [], dueAt: renewAt });
    expect(planAfter(events, renewAt).steps).toEqual(['renew']);
    expect(RENEW_BEFORE_MS).toBeLessThan(HOLD_MS);
  });

  it('is to end the run in time, and nothing else then', () => {
    expect(planAfter([started(node('a'))], RUN_UNTIL)).toEqual({
      steps: ['time-out'],
      dueAt: null,
    });
  });

  it('is to charge an ended run, and to release its content long after', () => {
    const plan = [started(node('a')), over('failed')];
    expect(planAfter(plan, LATER)).toEqual({ steps: ['settle'], dueAt: null });
    const forgetAt = new Date(Date.parse(LATER) + KEPT_MS).toISOString();
    expect(planAfter([...plan, settled], LATER)).toEqual({ steps: [], dueAt: forgetAt });
    expect(planAfter([...plan, settled], forgetAt).steps).toEqual(['forget']);
  });
});
