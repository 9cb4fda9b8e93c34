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
import { type Projection } from '#platform/kernel/projection.js';

export const WORKER_RIG_STATES = ['up', 'draining', 'drained', 'lost', 'stopped'] as const;
export type WorkerRigStateName = (typeof WORKER_RIG_STATES)[number];

/** Something that has happened to a rig. */
export interface RigMoment {
  readonly event:
    | 'registered'
    | 'restarted'
    | 'changed'
    | 'drain_requested'
    | 'drained'
    | 'lost'
    | 'returned'
    | 'stopped';
  /** ISO 8601, as all instants here. */
  readonly at: string;
}

export type RigSpan = Omit<WorkerRigSummarised['data'], 'rig' | 'node' | 'startedAt'>;

export interface WorkerRig {
  readonly rig: string;
  /** The hash of its worker's name. */
  readonly node: string;
  readonly startedAt: string;
  readonly description: WorkerRigDescription;
  readonly presence: 'up' | 'lost' | 'stopped';
  readonly drain: 'none' | 'requested' | 'done';
  readonly firstRegisteredAt: string;
  /** Of the last event; heartbeats since then are not in the log. */
  readonly changedAt: string;
  /** The last ones, newest first. */
  readonly history: readonly RigMoment[];
  /** Those of the last days, newest first. */
  readonly spans: readonly RigSpan[];
}

/** Null until its worker registers. */
export interface WorkerRigDocument {
  readonly rig: WorkerRig | null;
}

export const HISTORY_MAX = 50;
/** Two days of whole hours. */
export const SPANS_MAX = 48;

export const stateOf = ({ presence, drain }: WorkerRig): WorkerRigStateName => {
  if (presence !== 'up') return presence;
  switch (drain) {
    case 'none':
      return 'up';
    case 'requested':
      return 'draining';
    case 'done':
      return 'drained';
  }
};

const moved = (
  rig: WorkerRig,
  event: RigMoment['event'],
  at: string,
  change: Partial<WorkerRig>,
): WorkerRigDocument => ({
  rig: {
    ...rig,
    ...change,
    changedAt: at,
    history: [{ event, at }, ...rig.history].slice(0, HISTORY_MAX),
  },
});

const NAMES = { new: 'registered', restarted: 'restarted', changed: 'changed' } as const;

const registered = ({ data }: WorkerRigRegistered, was: WorkerRig | null): WorkerRigDocument => {
  const { rig, node, startedAt, description, registeredAt, reason } = data;
  const process = { rig, node, startedAt, description };
  const first = { firstRegisteredAt: registeredAt, changedAt: registeredAt };
  const up = { presence: 'up', drain: 'none' } as const;
  const known = was ?? { ...process, ...up, ...first, history: [], spans: [] };
  const change = reason === 'changed' ? process : { ...process, ...up };
  return moved(known, NAMES[reason], registeredAt, change);
};

const project = (event: WorkerRigEvent, { rig }: WorkerRigDocument): WorkerRigDocument => {
  if (event.type === 'WorkerRigRegistered') return registered(event, rig);
  if (!rig) return { rig };
  switch (event.type) {
    case 'WorkerRigDrainRequested':
      return moved(rig, 'drain_requested', event.data.requestedAt, { drain: 'requested' });
    case 'WorkerRigDrained':
      return moved(rig, 'drained', event.data.drainedAt, { drain: 'done' });
    case 'WorkerRigLost':
      return moved(rig, 'lost', event.data.lostAt, { presence: 'lost' });
    case 'WorkerRigReturned':
      return moved(rig, 'returned', event.data.returnedAt, { presence: 'up' });
    case 'WorkerRigStopped':
      return moved(rig, 'stopped', event.data.stoppedAt, { presence: 'stopped' });
    case 'WorkerRigSummarised': {
      const { rig: _, node: __, startedAt: ___, ...span } = event.data;
      return { rig: { ...rig, spans: [span, ...rig.spans].slice(0, SPANS_MAX) } };
    }
  }
};

/** Which rigs have workers registered, in which state, and what has happened to them? */
export const workerRigs: Projection<WorkerRigEvent, WorkerRigDocument> = {
  name: 'worker-rigs',
  version: 1,
  on: {
    WorkerRigRegistered,
    WorkerRigDrainRequested,
    WorkerRigDrained,
    WorkerRigLost,
    WorkerRigReturned,
    WorkerRigStopped,
    WorkerRigSummarised,
  },
  keys: ({ data }) => [data.rig],
  initial: () => ({ rig: null }),
  project,
};
