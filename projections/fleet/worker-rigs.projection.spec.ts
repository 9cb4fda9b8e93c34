import { describe, expect, it } from '@jest/globals';
import {
  WorkerRigDrained,
  WorkerRigDrainRequested,
  type WorkerRigEvent,
  WorkerRigLost,
  WorkerRigRegistered,
  WorkerRigReturned,
  WorkerRigStopped,
  WorkerRigSummarised,
} from '#events/fleet/worker-rig.events.js';
import { at, DESCRIPTION, PROCESS, SPAN } from '#areas/fleet/worker-rig.fixture.js';
import {
  HISTORY_MAX,
  SPANS_MAX,
  stateOf,
  type WorkerRig,
  type WorkerRigDocument,
  workerRigs,
} from './worker-rigs.projection.js';

const { rig } = PROCESS;

const rigAfter = (...events: readonly WorkerRigEvent[]): WorkerRig | null => {
  expect(events.flatMap((event) => workerRigs.keys(event))).toEqual(events.map(() => rig));
  return events.reduce<WorkerRigDocument>(
    (document, event) => workerRigs.project(event, document, rig) ?? document,
    workerRigs.initial(rig),
  ).rig;
};

const registered = (
  minutes: number,
  reason: WorkerRigRegistered['data']['reason'] = 'new',
  more: Partial<WorkerRigRegistered['data']> = {},
) =>
  WorkerRigRegistered.of({
    ...PROCESS,
    reason,
    description: DESCRIPTION,
    registeredAt: at(minutes),
    ...more,
  });
const requested = WorkerRigDrainRequested.of({ rig, requestedAt: at(1) });
const drained = WorkerRigDrained.of({ rig, drainedAt: at(2) });
const lost = WorkerRigLost.of({ ...PROCESS, lastHeardAt: at(2), lostAt: at(3) });
const returned = WorkerRigReturned.of({ ...PROCESS, returnedAt: at(4) });
const stopped = WorkerRigStopped.of({ ...PROCESS, lastHeardAt: at(4), stoppedAt: at(5) });
const summarised = (minutes: number) =>
  WorkerRigSummarised.of({
    ...PROCESS,
    from: at(minutes - 60),
    to: at(minutes),
    ...SPAN,
    doneTasks: 7,
  });

describe('the rigs of workers', () => {
  it('have what they say of themselves', () => {
    expect(rigAfter(registered(0))).toEqual({
      ...PROCESS,
      description: DESCRIPTION,
      presence: 'up',
      drain: 'none',
      firstRegisteredAt: at(0),
      changedAt: at(0),
      history: [{ event: 'registered', at: at(0) }],
      spans: [],
    });
  });

  it.each<[string, readonly WorkerRigEvent[]]>([
    ['up', [registered(0)]],
    ['draining', [registered(0), requested]],
    ['drained', [registered(0), requested, drained]],
    ['lost', [registered(0), requested, lost]],
    ['draining', [registered(0), requested, lost, returned]],
    ['stopped', [registered(0), requested, drained, stopped]],
    ['up', [registered(0), requested, drained, stopped, registered(9, 'restarted')]],
    ['draining', [registered(0), requested, registered(9, 'changed')]],
  ])('are %s', (state, events) => {
    const found = rigAfter(...events);
    expect(found && stateOf(found)).toBe(state);
  });

  it('keep their history over restarts, newest first', () => {
    const restart = { startedAt: '2026-11-22T08:00:00.000Z' };
    const found = rigAfter(
      registered(0),
      lost,
      returned,
      stopped,
      registered(9, 'restarted', restart),
    );
    expect(found).toMatchObject({ ...restart, firstRegisteredAt: at(0), changedAt: at(9) });
    expect(found?.history.map(({ event }) => event)).toEqual([
      'restarted',
      'stopped',
      'returned',
      'lost',
      'registered',
    ]);
  });

  it('describe themselves as they did last', () => {
    const description = { ...DESCRIPTION, engines: [] };
    expect(rigAfter(registered(0), registered(1, 'changed', { description }))).toMatchObject({
      description,
      history: [{ event: 'changed', at: at(1) }, { event: 'registered' }],
    });
  });

  it('keep the last moments and the last two days', () => {
    const events = Array.from({ length: 60 }, (_, n) => [
      registered(n, 'changed'),
      summarised(n * 60),
    ]).flat();
    const found = rigAfter(registered(0), ...events);
    expect([found?.history.length, found?.spans.length]).toEqual([HISTORY_MAX, SPANS_MAX]);
    expect(found?.spans[0]).toEqual({
      from: at(58 * 60),
      to: at(59 * 60),
      ...SPAN,
      doneTasks: 7,
    });
  });

  it('are unknown before they register', () => {
    expect(rigAfter(lost)).toBeNull();
  });
});
