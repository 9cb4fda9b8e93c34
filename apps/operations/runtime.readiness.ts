import { Inject, Injectable } from '@nestjs/common';
import { type Bus, type BusHealth } from '#platform/bus/bus.port.js';
import { describeDamage } from '#platform/event-store/event-store.errors.js';
import {
  type EventStore,
  type EventStoreHealth,
  type Position,
} from '#platform/event-store/event-store.port.js';
import { type DamagedEvent } from '#platform/event-store/log-chain.port.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type LeadershipStatus } from '#platform/runtime/lease/leadership.port.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import {
  BusNeed,
  type ReadinessCheck,
  type ReadinessPart,
  type ReadinessReason,
} from '#platform/runtime/areas/operations.js';
import { type ProjectionStatus } from '#platform/runtime/projections/projection-host.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { BUS, EVENT_STORE, READ_STORE } from '#platform/runtime/tokens.js';
import { type Answered, answered } from './answered.js';
import { LastAnswer } from './last-answer.js';
import { type ReadinessReport } from './readiness.js';

/**
 * A process whose projections are this far behind reports itself as not ready. A takeover of the
 * lease, which takes up to 14 s, turns no gateway away.
 */
export const LAG_MS_MAX = 20_000;
/** Any checkpoint: the check only tests whether the read store answers. */
const ANY_CHECKPOINT = 'readiness';

/** Positions are decimal strings. */
type Readable<Status> = Omit<Status, 'position' | 'offered'> & { readonly position: string };

interface ReadStoreHealth {
  readonly reachable: boolean;
  /** Null when reachable. */
  readonly reason: string | null;
}

type ReaderGroupFacts = Pick<LeadershipStatus, 'group' | 'role' | 'token' | 'holder'>;

/** The facts of a process with projections. */
export interface RuntimeFacts {
  readonly event_store: Pick<EventStoreHealth, 'writable' | 'reason'>;
  readonly read_store: ReadStoreHealth;
  readonly bus: BusHealth;
  /** Null while the log does not answer. */
  readonly head: string | null;
  /** Of the reactions; null in a process that does not request leases. */
  readonly lease: LeadershipStatus | null;
  /** Which process runs which readers; empty in a process that does not request leases. */
  readonly reader_groups: readonly ReaderGroupFacts[];
  readonly projections: readonly Readable<ProjectionStatus>[];
  readonly reactions: readonly Readable<RunnerStatus>[];
}

/** The readers of the log that this process runs or follows. */
interface Readers {
  readonly projections: readonly ProjectionStatus[];
  readonly reactions: readonly RunnerStatus[];
  /** Events that the projector of this process could not read. */
  readonly damaged: readonly DamagedEvent[];
  /** Why the projector of this process does not answer, or null. */
  readonly failure: string | null;
}

/** The known state of each part. */
interface Known {
  readonly eventStore: EventStoreHealth;
  readonly readStore: ReadStoreHealth;
  readonly bus: BusHealth;
  readonly readers: Answered<Readers>;
  readonly head: Position | undefined;
  /** Of each group of readers. */
  readonly leases: readonly LeadershipStatus[];
}

/**
 * Reports stores and a needed bus that do not answer, and projections and sagas that lag or
 * stopped. It goes by the last answers where a server is slow.
 */
@Injectable()
export class RuntimeReadiness implements ReadinessCheck {
  readonly #eventStore: LastAnswer<EventStoreHealth>;
  readonly #readStore: LastAnswer<unknown>;
  readonly #bus: LastAnswer<BusHealth>;
  /** The head is read after the readers: it only grows, so nothing may be ahead of it. */
  readonly #readers: LastAnswer<{ readonly readers: Readers; readonly head: Position }>;

  constructor(
    private readonly runtime: Runtime,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(READ_STORE) readStore: ReadStore,
    @Inject(BUS) bus: Bus,
    private readonly busNeed: BusNeed,
  ) {
    this.#eventStore = new LastAnswer(() => eventStore.health());
    this.#readStore = new LastAnswer(() => readStore.checkpoint(ANY_CHECKPOINT));
    this.#bus = new LastAnswer(() => bus.health());
    this.#readers = new LastAnswer(async () => {
      const readers = await readersOf(runtime);
      return { readers, head: await eventStore.head() };
    });
  }

  async readiness(): Promise<ReadinessPart & { readonly facts: RuntimeFacts & object }> {
    const known = await this.#known();
    const { eventStore, readStore, bus, readers, head, leases } = known;
    const { projections = [], reactions = [] } = readers.answer ?? {};
    const facts = {
      event_store: { writable: eventStore.writable, reason: eventStore.reason },
      read_store: readStore,
      bus,
      head: head?.toString() ?? null,
      lease: leases.find(({ group }) => group === 'reactions') ?? null,
      reader_groups: leases.map(({ group, role, token, holder }) => ({
        group,
        role,
        token,
        holder,
      })),
      projections: projections.map(readable),
      reactions: reactions.map(readable),
    };
    return { reasons: this.#reasons(known), facts: { ...facts } };
  }

  async #known(): Promise<Known> {
    const [log, store, bus, { answer, failure }] = await Promise.all([
      this.#eventStore.get(),
      this.#readStore.get(),
      this.#bus.get(),
      this.#readers.get(),
    ]);
    const { writable = false, damaged = [] } = log.answer ?? {};
    return {
      eventStore:
        log.failure === null
          ? { writable, reason: log.answer?.reason ?? null, damaged }
          : { writable: false, reason: log.failure, damaged },
      readStore: { reachable: store.failure === null, reason: store.failure },
      bus:
        bus.answer && bus.failure === null ? bus.answer : { reachable: false, reason: bus.failure },
      readers: { answer: answer?.readers, failure },
      head: answer?.head,
      leases: this.runtime.leases(),
    };
  }

  #reasons({ eventStore, readStore, bus, readers, head, leases }: Known) {
    const reasons: ReadinessReason[] = [];
    const note = (code: string, detail: string): void => void reasons.push({ code, detail });
    if (!eventStore.writable) {
      note('event_log_unavailable', `the log cannot be written: ${eventStore.reason ?? ''}`);
    }
    const { damaged = [] } = eventStore;
    for (const one of oncePerEvent([
      ...damaged,
      ...this.runtime.codec.unreadable(),
      ...(readers.answer?.damaged ?? []),
    ])) {
      note('event_log_damaged', `the log is damaged: ${describeDamage(one)}`);
    }
    if (!readStore.reachable) {
      note('read_store_unavailable', `the read store does not answer: ${readStore.reason ?? ''}`);
    }
    if (!bus.reachable && this.busNeed.needsBus()) {
      note('bus_unavailable', `the bus cannot be reached: ${bus.reason ?? ''}`);
    }
    if (readers.failure !== null) {
      note('read_models_unknown', `the positions of readers are unknown: ${readers.failure}`);
    }
    for (const { group, failure } of leases) {
      if (failure === null) continue;
      note('lease_unavailable', `the lease of ${group} cannot be requested: ${failure}`);
    }
    const known = readers.answer ? reasonsOf(readers.answer, head) : [];
    return [...reasons, ...known, ...this.#standing(known)];
  }

  /** Places that the log lacks and that are not ahead of it, or of which the commands know. */
  #standing(named: readonly ReadinessReason[]): readonly ReadinessReason[] {
    const { doubt, foreign } = this.runtime.standing;
    if (foreign === null) return [];
    const { checkpoint, reason: clause } = foreign;
    if (doubt !== null) {
      const detail = 'paid work is refused until an operator confirms the log (quipu log confirm)';
      return [reason('log_foreign', `${checkpoint.name}: ${clause}; ${detail}`)];
    }
    if (named.some(({ code }) => code === 'log_foreign')) return [];
    const detail = 'the log is confirmed, and the read models are not of it: delete them';
    return [reason('log_foreign', `${checkpoint.name}: ${clause}; ${detail}`)];
  }
}

const readersOf = async (runtime: Runtime): Promise<Readers> => {
  const projections = await runtime.projectionHost.status();
  const projector = await answered(runtime.projector?.status() ?? Promise.resolve(null));
  const { sagas = [], damaged = [] } = projector.answer ?? {};
  const reactions = [...sagas, ...runtime.reactions()];
  return { projections, reactions, damaged, failure: projector.failure };
};

const reasonsOf = (
  { projections, reactions, failure }: Readers,
  head: Position | undefined,
): readonly ReadinessReason[] => {
  const runners = [...projections, ...reactions];
  const ahead = runners.filter(({ position }) => head !== undefined && position > head);
  return [
    ...(failure === null
      ? []
      : [reason('projector_unavailable', `projections and sagas do not run: ${failure}`)]),
    ...runners
      .filter(({ phase }) => phase === 'stopped')
      .map((one) => reason('reader_stopped', `${one.name} has stopped: ${one.failure ?? ''}`)),
    ...ahead.map(({ name, position }) =>
      reason(
        'log_foreign',
        `${name} is at position ${position}, and the log ends at ${head}: ` +
          'the log was exchanged while this process ran',
      ),
    ),
    ...projections
      .filter(({ lagMs }) => lagMs > LAG_MS_MAX)
      .map(({ name, lagMs }) =>
        reason('read_model_lagging', `${name} is ${Math.round(lagMs / 1_000)} s behind`),
      ),
  ];
};

const reason = (code: string, detail: string): ReadinessReason => ({ code, detail });

/** Several readers of one process may meet the same damage. */
const oncePerEvent = (damaged: readonly DamagedEvent[]): readonly DamagedEvent[] => [
  ...new Map(damaged.map((one) => [one.position, one])).values(),
];

const readable = <Status extends RunnerStatus>({
  offered: _,
  position,
  ...status
}: Status): Readable<Status> => ({ ...status, position: position.toString() });

/** The part of the report that every process with projections has. */
export type RuntimeReport = ReadinessReport<RuntimeFacts>;
