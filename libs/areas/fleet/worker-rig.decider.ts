import {
  type WorkerRigDescription,
  WorkerRigDrained,
  WorkerRigDrainRequested,
  type WorkerRigEvent,
  WorkerRigLost,
  WorkerRigRegistered,
  WorkerRigReturned,
  WorkerRigStopped,
  WorkerRigSummarised,
} from '#events/fleet/worker-rig.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from './fleet.errors.js';

/** Which process of which worker. */
export interface WorkerProcess {
  readonly rig: string;
  /** The hash of the worker's name. */
  readonly node: string;
  /** ISO 8601, as all instants here. */
  readonly startedAt: string;
}

/** The span of the heartbeats since the last summary. */
export interface HeardSpan {
  readonly heartbeats: number;
  readonly doneTasksTotal: number;
  readonly temperatureMaxC: number | null;
  readonly powerMeanW: number | null;
}

/** A heartbeat, and what it ends. */
export interface ReportRig {
  readonly type: 'ReportRig';
  readonly data: WorkerProcess & {
    readonly description: WorkerRigDescription;
    /** The worker takes no more tasks, and none runs. */
    readonly isIdle: boolean;
    readonly reportedAt: string;
    readonly span: HeardSpan;
    /** A summary is due when the last one is older. */
    readonly summaryDueBefore: string;
  };
}

/** The worker has missed several heartbeats. */
export interface MissRig {
  readonly type: 'MissRig';
  readonly data: WorkerProcess & {
    readonly lastHeardAt: string;
    readonly missedAt: string;
    /** Whether it had said that it stops. */
    readonly isExpected: boolean;
    /** Null: nothing was heard since the last summary. */
    readonly span: HeardSpan | null;
  };
}

export interface DrainRig {
  readonly type: 'DrainRig';
  readonly data: { readonly rig: string; readonly requestedAt: string };
}

export type WorkerRigCommand = ReportRig | MissRig | DrainRig;

interface KnownRig extends Pick<WorkerProcess, 'node' | 'startedAt'> {
  readonly presence: 'up' | 'lost' | 'stopped';
  readonly drain: 'none' | 'requested' | 'done';
  readonly description: WorkerRigDescription;
  readonly summarisedAt: string;
  readonly doneTasksTotal: number;
}

export type WorkerRigState = { readonly presence: 'absent' } | KnownRig;

const initialState: WorkerRigState = { presence: 'absent' };

/** Both are made in one way, so the order of their fields is the same. */
const isSame = (one: WorkerRigDescription, other: WorkerRigDescription): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const registered = (
  { rig, node, startedAt, description, reportedAt: registeredAt }: ReportRig['data'],
  reason: WorkerRigRegistered['data']['reason'],
): WorkerRigEvent =>
  WorkerRigRegistered.of({ rig, node, startedAt, reason, description, registeredAt });

const summarised = (
  { rig, node, startedAt }: WorkerProcess,
  { summarisedAt: from, doneTasksTotal: before }: KnownRig,
  span: HeardSpan,
  to: string,
): WorkerRigEvent => {
  const doneTasks = Math.max(0, span.doneTasksTotal - before);
  return WorkerRigSummarised.of({ rig, node, startedAt, from, to, ...span, doneTasks });
};

/** A report of the process that is registered. */
const continued = (data: ReportRig['data'], state: KnownRig): readonly WorkerRigEvent[] => {
  const { rig, node, startedAt, reportedAt, span } = data;
  if (state.presence === 'stopped') return [];
  const isBack = state.presence === 'lost';
  const isDue = !isBack && state.summarisedAt <= data.summaryDueBefore && span.heartbeats > 0;
  return [
    ...(isBack ? [WorkerRigReturned.of({ rig, node, startedAt, returnedAt: reportedAt })] : []),
    ...(isSame(data.description, state.description) ? [] : [registered(data, 'changed')]),
    ...(isDue ? [summarised(data, state, span, reportedAt)] : []),
    ...(state.drain === 'requested' && data.isIdle
      ? [WorkerRigDrained.of({ rig, drainedAt: reportedAt })]
      : []),
  ];
};

const report = (data: ReportRig['data'], state: WorkerRigState): readonly WorkerRigEvent[] => {
  if (state.presence === 'absent') return [registered(data, 'new')];
  if (data.node !== state.node && state.presence === 'up') {
    return reject('rig_name_taken', `another worker is registered as rig ${data.rig}`);
  }
  if (data.node === state.node && data.startedAt === state.startedAt) return continued(data, state);
  // A message of a process that has been replaced came late.
  return data.startedAt < state.startedAt ? [] : [registered(data, 'restarted')];
};

const miss = (data: MissRig['data'], state: WorkerRigState): readonly WorkerRigEvent[] => {
  const { rig, node, startedAt, lastHeardAt, missedAt, isExpected, span } = data;
  if (state.presence !== 'up' || node !== state.node || startedAt !== state.startedAt) return [];
  const ended = { rig, node, startedAt, lastHeardAt };
  return [
    ...(span && span.heartbeats > 0 ? [summarised(data, state, span, lastHeardAt)] : []),
    isExpected
      ? WorkerRigStopped.of({ ...ended, stoppedAt: missedAt })
      : WorkerRigLost.of({ ...ended, lostAt: missedAt }),
  ];
};

const drain = (
  { rig, requestedAt }: DrainRig['data'],
  state: WorkerRigState,
): readonly WorkerRigEvent[] => {
  if (state.presence === 'absent') {
    return reject('worker_rig_not_found', `no worker is registered as rig ${rig}`);
  }
  if (state.presence !== 'up') return reject('rig_not_up', `rig ${rig} is ${state.presence}`);
  return state.drain === 'none' ? [WorkerRigDrainRequested.of({ rig, requestedAt })] : [];
};

const started = ({ data }: WorkerRigRegistered, state: WorkerRigState): KnownRig => {
  const { node, startedAt, description, registeredAt, reason } = data;
  if (reason === 'changed' && state.presence !== 'absent') return { ...state, description };
  const nothing = { drain: 'none', summarisedAt: registeredAt, doneTasksTotal: 0 } as const;
  return { presence: 'up', node, startedAt, description, ...nothing };
};

const evolve = (state: WorkerRigState, event: WorkerRigEvent): WorkerRigState => {
  if (event.type === 'WorkerRigRegistered') return started(event, state);
  if (state.presence === 'absent') return state;
  switch (event.type) {
    case 'WorkerRigDrainRequested':
      return { ...state, drain: 'requested' };
    case 'WorkerRigDrained':
      return { ...state, drain: 'done' };
    case 'WorkerRigLost':
      return { ...state, presence: 'lost' };
    case 'WorkerRigReturned':
      return { ...state, presence: 'up', summarisedAt: event.data.returnedAt };
    case 'WorkerRigStopped':
      return { ...state, presence: 'stopped' };
    case 'WorkerRigSummarised': {
      const { to: summarisedAt, doneTasksTotal } = event.data;
      return { ...state, summarisedAt, doneTasksTotal };
    }
  }
};

/** One rig of a worker, from its first heartbeat on. */
export const workerRigDecider: Decider<WorkerRigCommand, WorkerRigState, WorkerRigEvent> = {
  initialState,
  decide: ({ type, data }, state) => {
    switch (type) {
      case 'ReportRig':
        return report(data, state);
      case 'MissRig':
        return miss(data, state);
      case 'DrainRig':
        return drain(data, state);
    }
  },
  evolve,
};
