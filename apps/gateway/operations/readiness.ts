import { Inject, Injectable } from '@nestjs/common';
import { Catalog, type CatalogStatus } from '#areas/catalog/catalog.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type RigStatus } from '#areas/inference/rigs/rig-state.js';
import { type EventStore, type EventStoreHealth } from '#platform/event-store/event-store.port.js';
import { type LogReaderStatus } from '#platform/runtime/log-reader.js';
import { type ProjectionStatus } from '#platform/runtime/projections.js';
import { type Runtime } from '#platform/runtime/runtime.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { OpenRequests } from '../inference/open-requests.js';

export const RUNTIME = Symbol('Runtime');

/** Positions a projection may be behind before this process calls itself not ready. */
export const LAG_MAX = 10_000n;

/** Positions are decimal strings. */
type Readable<Status> = Omit<Status, 'position'> & { readonly position: string };

export interface ReadinessReport {
  readonly status: 'ready' | 'not_ready';
  /** Why not; empty when ready. */
  readonly reasons: readonly string[];
  readonly event_store: EventStoreHealth;
  readonly head: string;
  readonly projections: readonly Readable<ProjectionStatus>[];
  readonly reactions: readonly Readable<LogReaderStatus>[];
  readonly catalog: CatalogStatus;
  readonly rigs: readonly RigStatus[];
  readonly open_requests: number;
}

/** Tells the truth about this process: what is behind, what has stopped, what cannot be written. */
@Injectable()
export class Readiness {
  readonly #heldBack = new Set<string>();

  constructor(
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
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
    const health = await this.eventStore.health();
    const head = await this.eventStore.head();
    const projections = await this.runtime.projections.status();
    const reactions = this.runtime.reactions();
    const reasons = [
      ...this.#heldBack,
      ...(health.writable ? [] : [`the event store cannot be written: ${health.reason ?? ''}`]),
      ...(this.requests.draining ? ['draining'] : []),
      ...[...projections, ...reactions]
        .filter(({ phase }) => phase === 'stopped')
        .map(({ name, failure }) => `${name} has stopped: ${failure ?? ''}`),
      ...projections
        .filter(({ lag }) => BigInt(lag) > LAG_MAX)
        .map(({ name, lag }) => `${name} is ${lag} positions behind`),
    ];
    return {
      status: reasons.length === 0 ? 'ready' : 'not_ready',
      reasons,
      event_store: health,
      head: head.toString(),
      projections: projections.map(readable),
      reactions: reactions.map(readable),
      catalog: this.catalog.status(),
      rigs: this.rigs.status(),
      open_requests: this.requests.count,
    };
  }
}

const readable = <Status extends LogReaderStatus>(status: Status): Readable<Status> => ({
  ...status,
  position: status.position.toString(),
});
