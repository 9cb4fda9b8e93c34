import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type BundleEvent, bundleEvents, type BookedHop } from '#events/dtn/dtn.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import {
  HistoryQuery,
  type LoggedEvent,
  StreamFollower,
  type StreamHistory,
} from '#platform/runtime/subscriptions/stream-follower.js';
import { CLOCK, CODEC, EVENT_STORE, PROJECTIONS } from '#platform/runtime/tokens.js';
import { bundles, bundlesPrefix, type CustodyRecord } from '#projections/dtn/bundles.projection.js';
import {
  type RemoteRequestRecord,
  remoteRequests,
  remoteRequestsPrefix,
} from '#projections/dtn/remote-requests.projection.js';
import { BundleRoutes } from './bundle-routes.js';
import { isEndpointId, nodeOf } from './bundles.engine.js';
import { type ContactPlan, ContactPlans, HORIZON_MS } from './contact-plans.js';
import { reject } from './dtn.errors.js';
import { DTN_SETTINGS, type DtnSettings } from './dtn.settings.js';
import { type PlanState } from './plan.decider.js';
import { type Priority } from './routing/contact-plan.js';
import { bundleStream, StoredBundles } from './stored-bundles.js';

/** As of an instant: what the log has not yet recorded is shown so. */
export interface ShownBundle {
  readonly bundle: CustodyRecord;
  readonly atMs: number;
}

export class BundleQuery extends Query<ShownBundle> {
  constructor(
    readonly bundleId: string,
    readonly reader: Reader,
  ) {
    super();
  }
}

@QueryHandler(BundleQuery)
export class BundleHandler implements IQueryHandler<BundleQuery> {
  constructor(
    private readonly stored: StoredBundles,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `bundle_not_found` */
  async execute({ bundleId, reader }: BundleQuery): Promise<ShownBundle> {
    return { bundle: await this.stored.find(bundleId, reader), atMs: this.clock.now() };
  }
}

export interface BundlePage {
  readonly bundles: readonly CustodyRecord[];
  readonly atMs: number;
  readonly total: number;
  readonly position: bigint;
}

/** A page of the bundles of an account, newest first. */
export class BundlesQuery extends Query<BundlePage> {
  constructor(
    readonly accountId: string,
    /** From 1. */
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(BundlesQuery)
export class BundlesHandler implements IQueryHandler<BundlesQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list' | 'count'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ accountId, page, limit }: BundlesQuery): Promise<BundlePage> {
    const prefix = bundlesPrefix(accountId);
    const { documents, position } = await this.projections.list(bundles, {
      prefix,
      direction: 'backwards',
      limit,
      offset: (page - 1) * limit,
    });
    return {
      bundles: documents.flatMap(({ document }) => document.bundle ?? []),
      atMs: this.clock.now(),
      total: await this.projections.count(bundles, prefix),
      position,
    };
  }
}

export interface RemoteRequestPage {
  readonly requests: readonly RemoteRequestRecord[];
  readonly total: number;
}

/** A page of the requests that an account sent to other nodes, newest first. */
export class RemoteRequestsQuery extends Query<RemoteRequestPage> {
  constructor(
    readonly accountId: string,
    /** From 1. */
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(RemoteRequestsQuery)
export class RemoteRequestsHandler implements IQueryHandler<RemoteRequestsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list' | 'count'>,
  ) {}

  async execute({ accountId, page, limit }: RemoteRequestsQuery): Promise<RemoteRequestPage> {
    const { documents, total } = await numberedPage(this.projections, remoteRequests, {
      ...{ prefix: remoteRequestsPrefix(accountId), direction: 'backwards', page, limit },
    });
    return { requests: documents.flatMap(({ document }) => document.request ?? []), total };
  }
}

/** The bytes of a stored bundle, as it travels. */
export class BundleContentQuery extends Query<{
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}> {
  constructor(
    readonly bundleId: string,
    readonly reader: Reader,
  ) {
    super();
  }
}

@QueryHandler(BundleContentQuery)
export class BundleContentHandler implements IQueryHandler<BundleContentQuery> {
  constructor(private readonly stored: StoredBundles) {}

  /** @throws DomainError `bundle_not_found`, `bundle_ended`; BlobError */
  async execute({ bundleId, reader }: BundleContentQuery) {
    const bundle = await this.stored.find(bundleId, reader);
    return { bytes: bundle.bundleBytes ?? 0, content: await this.stored.open(bundle) };
  }
}

export type LoggedBundleEvent = LoggedEvent<BundleEvent>;

export class BundleHistoryQuery extends HistoryQuery<BundleEvent> {}

@QueryHandler(BundleHistoryQuery)
export class BundleHistoryHandler implements IQueryHandler<BundleHistoryQuery> {
  readonly #follower: StreamFollower<BundleEvent>;

  constructor(
    @Inject(EVENT_STORE) eventStore: Pick<EventStore, 'read' | 'subscribe'>,
    @Inject(CODEC) codec: EventCodec,
    private readonly stored: StoredBundles,
  ) {
    this.#follower = new StreamFollower(eventStore, codec.for(bundleEvents));
  }

  /** @throws DomainError `bundle_not_found`, `bundle_event_unknown` */
  async execute({ id, reader, after }: BundleHistoryQuery): Promise<StreamHistory<BundleEvent>> {
    const { bundleId, status } = await this.stored.find(id, reader);
    const followed = { stream: bundleStream(bundleId), after, isOver: OVER.has(status), isLast };
    return this.#follower.historyAfter(followed, rejectAfter);
  }
}

const isLast = ({ type }: BundleEvent): boolean =>
  type === 'BundleRejected' ||
  type === 'BundleCancelled' ||
  type === 'BundleDelivered' ||
  type === 'BundleExpired';

const OVER: ReadonlySet<CustodyRecord['status']> = new Set([
  'rejected',
  'cancelled',
  'delivered',
  'expired',
]);

const rejectAfter = (after: bigint): never =>
  reject('bundle_event_unknown', `the bundle has no event ${after}`);

export interface RoutesAsked {
  /** Null: this node. */
  readonly source: string | null;
  readonly destination: string;
  readonly bytes: number;
  readonly lifetimeSec: number;
  readonly priority: Priority;
  readonly alternatives: number;
}

export interface ExplainedRoutes {
  readonly from: string;
  readonly to: string;
  readonly routes: readonly (readonly BookedHop[])[];
  readonly plan: ContactPlan;
}

/** How a bundle would travel; nothing is sent and nothing is booked. */
export class RoutesQuery extends Query<ExplainedRoutes> {
  constructor(
    readonly accountId: string,
    readonly asked: RoutesAsked,
  ) {
    super();
  }
}

const MS_PER_SECOND = 1_000;
/** A search is free and takes milliseconds: an account has one at a time. */
export const SEARCHES = {
  total: 8,
  perAccount: 1,
  reserve: 2,
  waitingMax: 16,
  waitMsMax: 10_000,
};

@QueryHandler(RoutesQuery)
export class RoutesHandler implements IQueryHandler<RoutesQuery> {
  readonly #turns = new AccountTurns(SEARCHES, () => tooManySearches());

  constructor(
    private readonly routes: BundleRoutes,
    @Inject(DTN_SETTINGS) private readonly settings: DtnSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `dtn_eid_invalid`, `too_many_route_searches` */
  async execute({ accountId, asked }: RoutesQuery): Promise<ExplainedRoutes> {
    const from = asked.source === null ? this.settings.node : nodeIn('source_eid', asked.source);
    const to = nodeIn('destination_eid', asked.destination);
    const readyAtMs = this.clock.now();
    const expiresAtMs = readyAtMs + asked.lifetimeSec * MS_PER_SECOND;
    const { bytes, priority, alternatives } = asked;
    const order = { from, to, readyAtMs, expiresAtMs, bytes, priority };
    const search = () => this.routes.find(order, alternatives);
    return { from, to, ...(await this.#turns.run(accountId, search)) };
  }
}

const tooManySearches = (): never =>
  reject('too_many_route_searches', 'too many searches of the account wait; try again');

const nodeIn = (field: string, eid: string): string => {
  const node = isEndpointId(eid) ? nodeOf(eid) : undefined;
  return (
    node ?? reject('dtn_eid_invalid', `${field}: expected an endpoint, such as dtn://node/service`)
  );
};

export interface FoundPlan {
  readonly state: PlanState;
  readonly plan: ContactPlan;
}

/** The contact plan of the horizon. */
export class PlanQuery extends Query<FoundPlan> {}

@QueryHandler(PlanQuery)
export class PlanHandler implements IQueryHandler<PlanQuery> {
  constructor(
    private readonly plans: ContactPlans,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(): Promise<FoundPlan> {
    const nowMs = this.clock.now();
    const plan = await this.plans.from(nowMs, nowMs + HORIZON_MS);
    return { state: await this.plans.state(), plan };
  }
}

/** The declared links and the contacts planned by hand, without the passes. */
export class PlanStateQuery extends Query<PlanState> {}

@QueryHandler(PlanStateQuery)
export class PlanStateHandler implements IQueryHandler<PlanStateQuery> {
  constructor(private readonly plans: ContactPlans) {}

  execute(): Promise<PlanState> {
    return this.plans.state();
  }
}
