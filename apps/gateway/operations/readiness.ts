import { Inject, Injectable } from '@nestjs/common';
import { Catalog, type CatalogStatus } from '#areas/catalog/catalog.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type RigStatus } from '#areas/inference/rigs/rig-state.js';
import { type Bus, type BusHealth } from '#platform/bus/bus.port.js';
import { type EventStore, type EventStoreHealth } from '#platform/event-store/event-store.port.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type LeadershipStatus } from '#platform/runtime/lease/leadership.port.js';
import { type RunnerStatus } from '#platform/runtime/log-progress.js';
import { type ProjectionStatus } from '#platform/runtime/projection-host.js';
import { type Runtime } from '#platform/runtime/runtime.js';
import { BUS, EVENT_STORE, READ_STORE } from '#platform/runtime/tokens.js';
import { OpenRequests } from '../inference/open-requests.js';
import { answered } from './answered.js';

export const RUNTIME = Symbol('Runtime');

/** How long an event may wait to be in a projection before this process calls itself not ready. */
export const LAG_MS_MAX = 10_000;
/** Any checkpoint will do: what counts is that the read store answers. */
const ANY_CHECKPOINT = 'readiness';

/** Positions are decimal strings. */
type Readable<Status> = Omit<Status, 'position'> & { readonly position: string };

interface ReadStoreHealth {
  readonly reachable: boolean;
  /** Why not, or null. */
  readonly reason: string | null;
}

export interface ReadinessReport {
  readonly status: 'ready' | 'not_ready';
  /** Why not; empty when ready. */
  readonly reasons: readonly string[];
  readonly event_store: EventStoreHealth;
  readonly read_store: ReadStoreHealth;
  readonly bus: BusHealth;
  /** Null while the log cannot be asked. */
  readonly head: string | null;
  /** Null where this process does not try for the lease of the readers. */
  readonly lease: LeadershipStatus | null;
  readonly projections: readonly Readable<ProjectionStatus>[];
  readonly reactions: readonly Readable<RunnerStatus>[];
  readonly catalog: CatalogStatus;
  readonly rigs: readonly RigStatus[];
  readonly open_requests: number;
}

/** Tells the truth about this process: what is behind, what has stopped, what does not answer. */
@Injectable()
export class Readiness {
  readonly #heldBack = new Set<string>();

  constructor(
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(READ_STORE) private readonly readStore: ReadStore,
    @Inject(BUS) private readonly bus: Bus,
    private readonly catalog: Catalog,
    @Inject(RIGS) private readonly rigs: RigRouter,
    private readonly requests: OpenRequests,
  ) {}

  /** Not ready, for this reason, until the function that is returned has been called. */
  holdBack(reason: string): () => void {
    this.#heldBack.add(reason);
    return () => void this.#heldBack.delete(reason);
  }

  async report(): Promise<ReadinessReport> {
    const [eventStore, readStore, bus, head, status] = await Promise.all([
      this.#eventStoreHealth(),
      this.#readStoreHealth(),
      this.#busHealth(),
      answered(this.eventStore.head()),
      answered(this.runtime.projectionHost.status()),
    ]);
    const projections = status.answer ?? [];
    const reactions = this.runtime.reactions();
    const lease = this.runtime.leadership();
    const reasons = [
      ...this.#heldBack,
      ...(eventStore.writable
        ? []
        : [`the event store cannot be written: ${eventStore.reason ?? ''}`]),
      ...(readStore.reachable ? [] : [`the read store cannot be asked: ${readStore.reason ?? ''}`]),
      ...(bus.reachable ? [] : [`the bus cannot be reached: ${bus.reason ?? ''}`]),
      ...(this.requests.draining ? ['draining'] : []),
      ...(status.failure === null ? [] : [`projections cannot be looked at: ${status.failure}`]),
      ...(lease?.failure ? [`the lease cannot be tried for: ${lease.failure}`] : []),
      ...[...projections, ...reactions]
        .filter(({ phase }) => phase === 'stopped')
        .map(({ name, failure }) => `${name} has stopped: ${failure ?? ''}`),
      ...projections
        .filter(({ lagMs }) => lagMs > LAG_MS_MAX)
        .map(({ name, lagMs }) => `${name} is ${Math.round(lagMs / 1_000)} s behind`),
    ];
    return {
      status: reasons.length === 0 ? 'ready' : 'not_ready',
      reasons,
      event_store: eventStore,
      read_store: readStore,
      bus,
      head: head.answer?.toString() ?? null,
      lease,
      projections: projections.map(readable),
      reactions: reactions.map(readable),
      catalog: this.catalog.status(),
      rigs: this.rigs.status(),
      open_requests: this.requests.count,
    };
  }

  async #eventStoreHealth(): Promise<EventStoreHealth> {
    const { answer, failure } = await answered(this.eventStore.health());
    return answer ?? { writable: false, reason: failure };
  }

  async #readStoreHealth(): Promise<ReadStoreHealth> {
    const { failure } = await answered(this.readStore.checkpoint(ANY_CHECKPOINT));
    return { reachable: failure === null, reason: failure };
  }

  async #busHealth(): Promise<BusHealth> {
    const { answer, failure } = await answered(this.bus.health());
    return answer ?? { reachable: false, reason: failure };
  }
}

const readable = <Status extends RunnerStatus>(status: Status): Readable<Status> => ({
  ...status,
  position: status.position.toString(),
});
