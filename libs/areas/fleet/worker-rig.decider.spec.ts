import { describe, it } from '@jest/globals';
import {
  WorkerRigDrained,
  WorkerRigDrainRequested,
  WorkerRigLost,
  WorkerRigRegistered,
  WorkerRigReturned,
  WorkerRigStopped,
  WorkerRigSummarised,
} from '#events/fleet/worker-rig.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import {
  type DrainRig,
  type MissRig,
  type ReportRig,
  workerRigDecider,
} from './worker-rig.decider.js';
import { at, DESCRIPTION, PROCESS, SPAN } from './worker-rig.fixture.js';

const rig = deciderSpecOf(workerRigDecider);

const report = (minutes: number, more: Partial<ReportRig['data']> = {}): ReportRig => ({
  type: 'ReportRig',
  data: {
    ...PROCESS,
    description: DESCRIPTION,
    isIdle: false,
    reportedAt: at(minutes),
    span: SPAN,
    summaryDueBefore: at(minutes - 60),
    ...more,
  },
});

const miss = (minutes: number, more: Partial<MissRig['data']> = {}): MissRig => ({
  type: 'MissRig',
  data: {
    ...PROCESS,
    lastHeardAt: at(minutes - 1),
    missedAt: at(minutes),
    isExpected: false,
    span: null,
    ...more,
  },
});

const drain = (minutes: number): DrainRig => ({
  type: 'DrainRig',
  data: { rig: PROCESS.rig, requestedAt: at(minutes) },
});

const RESTART = { startedAt: '2026-11-22T09:00:00.000Z' };
const OTHER = { node: 'worker-00000000000000ff', startedAt: '2026-11-22T05:00:00.000Z' };
const CHANGED = { ...DESCRIPTION, engines: [] };

const registered = (minutes = 0, more: Partial<WorkerRigRegistered['data']> = {}) =>
  WorkerRigRegistered.of({
    ...PROCESS,
    reason: 'new',
    description: DESCRIPTION,
    registeredAt: at(minutes),
    ...more,
  });
const lost = (minutes: number) =>
  WorkerRigLost.of({ ...PROCESS, lastHeardAt: at(minutes - 1), lostAt: at(minutes) });
const stopped = (minutes: number) =>
  WorkerRigStopped.of({ ...PROCESS, lastHeardAt: at(minutes - 1), stoppedAt: at(minutes) });
const returned = (minutes: number) => WorkerRigReturned.of({ ...PROCESS, returnedAt: at(minutes) });
const requested = (minutes: number) =>
  WorkerRigDrainRequested.of({ rig: PROCESS.rig, requestedAt: at(minutes) });
const drained = (minutes: number) =>
  WorkerRigDrained.of({ rig: PROCESS.rig, drainedAt: at(minutes) });
const summarised = (from: number, to: number, doneTasks: number) =>
  WorkerRigSummarised.of({ ...PROCESS, from: at(from), to: at(to), ...SPAN, doneTasks });

describe('the rig of a worker', () => {
  it('registers with its first heartbeat, and once', () => {
    rig.given().when(report(0)).then(registered());
    rig.given(registered()).when(report(1)).thenNothing();
  });

  it('registers again when its worker was started again, and the drain has ended', () => {
    const restarted = registered(200, { ...RESTART, reason: 'restarted' });
    rig.given(registered(), requested(1)).when(report(200, RESTART)).then(restarted);
    const idle = { ...RESTART, isIdle: true };
    rig.given(registered(), requested(1), restarted).when(report(201, idle)).thenNothing();
  });

  it('ignores a late message of a process that was replaced', () => {
    rig.given(registered(0, RESTART)).when(report(1)).thenNothing();
    rig.given(registered(0, RESTART)).when(miss(1)).thenNothing();
  });

  it('describes itself again when it has changed', () => {
    const changed = registered(5, { reason: 'changed', description: CHANGED });
    const report5 = report(5, { description: CHANGED });
    rig.given(registered()).when(report5).then(changed);
    rig
      .given(registered(), changed)
      .when(report(6, { description: CHANGED }))
      .thenNothing();
    // It is the same process, which still drains.
    const idle = report(6, { description: CHANGED, isIdle: true });
    rig.given(registered(), requested(1), changed).when(idle).then(drained(6));
  });

  it('belongs to one worker until that is lost or has stopped', () => {
    rig.given(registered()).when(report(1, OTHER)).thenThrows('rig_name_taken');
    const taken = registered(9, { ...OTHER, reason: 'restarted' });
    rig
      .given(registered(), stopped(5))
      .when(report(9, { ...OTHER, startedAt: at(8) }))
      .then(registered(9, { ...OTHER, startedAt: at(8), reason: 'restarted' }));
    rig.given(registered(), taken).when(miss(10)).thenNothing();
  });

  it('is lost once when it is silent, and comes back as the same', () => {
    rig.given(registered()).when(miss(5)).then(lost(5));
    rig.given(registered(), lost(5)).when(miss(6)).thenNothing();
    rig.given(registered(), lost(5)).when(report(9)).then(returned(9));
    rig.given(registered(), lost(5), returned(9)).when(report(10)).thenNothing();
  });

  it('has stopped when it had said so', () => {
    rig
      .given(registered())
      .when(miss(5, { isExpected: true }))
      .then(stopped(5));
    rig.given(registered(), stopped(5)).when(report(6)).thenNothing();
  });

  it('sums up its heartbeats once an hour, and at its end', () => {
    rig.given(registered()).when(report(59)).thenNothing();
    rig
      .given(registered())
      .when(report(60))
      .then(summarised(0, 60, 7));
    rig
      .given(registered(), summarised(0, 60, 7))
      .when(report(61))
      .thenNothing();
    const more = { ...SPAN, doneTasksTotal: 10 };
    const second = WorkerRigSummarised.of({
      ...summarised(60, 120, 3).data,
      doneTasksTotal: 10,
    });
    rig
      .given(registered(), summarised(0, 60, 7))
      .when(report(120, { span: more }))
      .then(second);
    rig
      .given(registered())
      .when(miss(5, { span: SPAN }))
      .then(summarised(0, 4, 7), lost(5));
    const none = { ...SPAN, heartbeats: 0 };
    rig
      .given(registered())
      .when(miss(5, { span: none }))
      .then(lost(5));
    rig
      .given(registered())
      .when(report(60, { span: none }))
      .thenNothing();
  });

  it('sums up only what it has done since it came back', () => {
    rig.given(registered(), lost(5), returned(9)).when(report(65)).thenNothing();
    rig
      .given(registered(), lost(5), returned(9))
      .when(report(69))
      .then(summarised(9, 69, 7));
  });
});

describe('the drain of a rig', () => {
  it('is requested once, and done when nothing runs', () => {
    rig.given(registered()).when(drain(1)).then(requested(1));
    rig.given(registered(), requested(1)).when(drain(2)).thenNothing();
    rig.given(registered(), requested(1)).when(report(2)).thenNothing();
    rig
      .given(registered(), requested(1))
      .when(report(3, { isIdle: true }))
      .then(drained(3));
    const done = [registered(), requested(1), drained(3)];
    rig
      .given(...done)
      .when(report(4, { isIdle: true }))
      .thenNothing();
    rig
      .given(...done)
      .when(drain(5))
      .thenNothing();
  });

  it('is not done where it was not requested', () => {
    rig
      .given(registered())
      .when(report(1, { isIdle: true }))
      .thenNothing();
  });

  it('outlives a loss', () => {
    const facts = [registered(), requested(1), lost(5)];
    rig
      .given(...facts)
      .when(report(6, { isIdle: true }))
      .then(returned(6), drained(6));
  });

  it('needs a rig that is up', () => {
    rig.given().when(drain(1)).thenThrows('worker_rig_not_found');
    rig.given(registered(), lost(5)).when(drain(6)).thenThrows('rig_not_up');
    rig.given(registered(), stopped(5)).when(drain(6)).thenThrows('rig_not_up');
  });
});
