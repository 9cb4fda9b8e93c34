import { type BusMessage } from '#platform/bus/bus.port.js';
import { type Position } from '#platform/event-store/event-store.port.js';
import { type DamagedEvent } from '#platform/event-store/log-chain.port.js';
import { type RunnerStatus } from '../subscriptions/log-progress.js';

/** A wait of a query for the documents of one generation of a projection. */
export interface ReachRequest {
  readonly projection: string;
  /** Of the generation that the query reads. */
  readonly collection: string;
  readonly position: Position;
  readonly timeoutMs: number;
}

export interface Reached {
  readonly reached: boolean;
  /** How far the documents have come; 0n where the projector does not run the generation. */
  readonly position: Position;
}

export interface ProjectorStatus {
  readonly projections: readonly RunnerStatus[];
  readonly sagas: readonly RunnerStatus[];
  /** Events that the projector could not read. */
  readonly damaged: readonly DamagedEvent[];
}

/** The calls that the projector answers. A type, not an interface: it has an index signature. */
export type ProjectorCalls = {
  /** Opens the stores and runs projections and sagas; the first call, and the only one before. */
  readonly begin: (nothing: null) => Promise<void>;
  /** The log has grown: subscriptions need not poll for it. */
  readonly appended: (nothing: null) => void;
  readonly reach: (request: ReachRequest) => Promise<Reached>;
  readonly status: (nothing: null) => Promise<ProjectorStatus>;
  /** Configuration files are read again. */
  readonly reload: (nothing: null) => Promise<void>;
  /** The last call. */
  readonly stop: (nothing: null) => Promise<void>;
};

export interface Publication {
  readonly topic: string;
  readonly messages: readonly BusMessage[];
}

/** The calls that the process answers to its projector. */
export type ProcessCalls = {
  /** A saga of the projector has written. */
  readonly appended: (nothing: null) => void;
  readonly publish: (publication: Publication) => Promise<void>;
  /** One line of the log, as JSON. */
  readonly log: (line: string) => void;
};
