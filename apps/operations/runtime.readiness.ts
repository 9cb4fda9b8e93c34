import { Inject, Injectable } from '@nestjs/common';
import { type Bus, type BusHealth } from '#platform/bus/bus.port.js';
import { describeDamage } from '#platform/event-store/event-store.errors.js';
import { type EventStore, type EventStoreHealth } from '#platform/event-store/event-store.port.js';
import { type DamagedEvent } from '#platform/event-store/log-chain.port.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type LeadershipStatus } from '#platform/runtime/lease/leadership.port.js';
import { type RunnerStatus } from '#platform/runtime/log-progress.js';
import { BusNeed, type ReadinessCheck, type ReadinessPart } from '#platform/runtime/operations.js';
import { type ProjectionStatus } from '#platform/runtime/projection-host.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { BUS, EVENT_STORE, READ_STORE } from '#platform/runtime/tokens.js';
import { answered } from './answered.js';
import { type ReadinessReport } from './readiness.js';

/** A process whose projections are this far behind reports itself as not ready. */
export const LAG_MS_MAX = 10_000;
/** Any checkpoint: the check only tests whether the read store answers. */
const ANY_CHECKPOINT = 'readiness';

/** Positions are decimal strings. */
type Readable<Status> = Omit<Status, 'position'> & { readonly position: string };

interface ReadStoreHealth {
  readonly reachable: boolean;
  /** Null when reachable. */
  readonly reason: string | null;
}

/** The facts of a process with projections. */
export interface RuntimeFacts {
  readonly event_store: Pick<EventStoreHealth, 'writable' | 'reason'>;
  readonly read_store: ReadStoreHealth;
  readonly bus: BusHealth;
  /** Null while the log does not answer. */
  readonly head: string | null;
  /** Null in a process that does not request the lease of the projections. */
  readonly lease: LeadershipStatus | null;
  readonly projections: readonly Readable<ProjectionStatus>[];
  readonly reactions: readonly Readable<RunnerStatus>[];
}

/**
 * Reports stores and a needed bus that do not answer, and projections and sagas that lag or
 * stopped.
 */
@Injectable()
export class RuntimeReadiness implements ReadinessCheck {
  constructor(
    private readonly runtime: Runtime,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(READ_STORE) private readonly readStore: ReadStore,
    @Inject(BUS) private readonly bus: Bus,
    private readonly busNeed: BusNeed,
  ) {}

  async readiness(): Promise<ReadinessPart & { readonly facts: RuntimeFacts & object }> {
    const [eventStore, readStore, bus, { status, reactions, projector, head }] = await Promise.all([
      this.#eventStoreHealth(),
      this.#readStoreHealth(),
      this.#busHealth(),
      this.#positions(),
    ]);
    const projections = status.answer ?? [];
    const end = head.answer;
    const ahead = [...projections, ...reactions].filter(
      ({ position }) => end !== undefined && position > end,
    );
    const lease = this.runtime.leadership();
    const unreadable = oncePerEvent([
      ...(eventStore.damaged ?? []),
      ...this.runtime.codec.unreadable(),
      ...(projector.answer?.damaged ?? []),
    ]);
    const reasons = [
      ...(eventStore.writable
        ? []
        : [`the event store cannot be written: ${eventStore.reason ?? ''}`]),
      ...unreadable.map((one) => `the log is damaged: ${describeDamage(one)}`),
      ...(readStore.reachable ? [] : [`the read store does not answer: ${readStore.reason ?? ''}`]),
      ...(bus.reachable || !this.busNeed.needsBus()
        ? []
        : [`the bus cannot be reached: ${bus.reason ?? ''}`]),
      ...(status.failure === null ? [] : [`projections cannot be read: ${status.failure}`]),
      ...(projector.failure === null
        ? []
        : [`projections and sagas do not run: ${projector.failure}`]),
      ...(lease?.failure ? [`the lease cannot be requested: ${lease.failure}`] : []),
      ...[...projections, ...reactions]
        .filter(({ phase }) => phase === 'stopped')
        .map(({ name, failure }) => `${name} has stopped: ${failure ?? ''}`),
      ...ahead.map(
        ({ name, position }) =>
          `${name} is at position ${position}, and the log ends at ${end}: ` +
          'the log was exchanged while this process ran',
      ),
      ...projections
        .filter(({ lagMs }) => lagMs > LAG_MS_MAX)
        .map(({ name, lagMs }) => `${name} is ${Math.round(lagMs / 1_000)} s behind`),
    ];
    const facts = {
      event_store: { writable: eventStore.writable, reason: eventStore.reason },
      read_store: readStore,
      bus,
      head: head.answer?.toString() ?? null,
      lease,
      projections: projections.map(readable),
      reactions: reactions.map(readable),
    };
    return { reasons, facts: { ...facts } };
  }

  /** The head is read last: it only grows, so nothing may be ahead of it. */
  async #positions() {
    const status = await answered(this.runtime.projectionHost.status());
    const projector = await answered(this.runtime.projector?.status() ?? Promise.resolve(null));
    const reactions = [...(projector.answer?.sagas ?? []), ...this.runtime.reactions()];
    return { status, reactions, projector, head: await answered(this.eventStore.head()) };
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

/** Several readers of one process may meet the same damage. */
const oncePerEvent = (damaged: readonly DamagedEvent[]): readonly DamagedEvent[] => [
  ...new Map(damaged.map((one) => [one.position, one])).values(),
];

const readable = <Status extends RunnerStatus>(status: Status): Readable<Status> => ({
  ...status,
  position: status.position.toString(),
});

/** The part of the report that every process with projections has. */
export type RuntimeReport = ReadinessReport<RuntimeFacts>;
