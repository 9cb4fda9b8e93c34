import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { followUp } from '#platform/runtime/commands/command-context.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { CLOCK, LOGGER, PROJECTIONS } from '#platform/runtime/tokens.js';
import { outbox, outboxPrefix } from '#projections/dtn/outbox.projection.js';
import { BUNDLE_FLAGS, type Bundle, BundleError, decodeBundle } from '../bundles.engine.js';
import { ContactPlans, HORIZON_MS } from '../contact-plans.js';
import {
  connectTcpcl,
  ContactScheduler,
  type Link,
  type Outbox,
  type Outgoing,
  REFUSE_REASONS,
  serveTcpcl,
  systemTimers,
  type TcpclServer,
  type Timers,
  type Window,
} from '../convergence.engine.js';
import { DTN_SETTINGS, type DtnSettings } from '../dtn.settings.js';
import { StoredBundles } from '../stored-bundles.js';
import { reportedBundleOf, StatusReports } from './status-reports.js';

const TERMS = { keepaliveSec: 60, segmentMru: 65_536, transferMru: 1_048_576 };
const CONNECTIONS_MAX = 64;
/** Of one look into the outbox of a node. */
const LOOKED_AT_MAX = 1_000;

/** Forwards stored bundles over the contacts of this node, and takes what other nodes report. */
@Injectable()
export class BundleLinks implements LeaderService, Outbox {
  #scheduler: ContactScheduler | null = null;
  #server: TcpclServer | null = null;

  constructor(
    private readonly bundles: StoredBundles,
    private readonly reports: StatusReports,
    private readonly plans: ContactPlans,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    @Inject(DTN_SETTINGS) private readonly settings: DtnSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'info' | 'warn'>,
  ) {}

  async start(): Promise<void> {
    const { listen, peers } = this.settings;
    if (listen) this.#server = await this.#serve(listen);
    if (peers.size === 0) return;
    this.#scheduler = new ContactScheduler(this, this.#timers());
    this.#scheduler.start();
  }

  async stop(): Promise<void> {
    await this.#scheduler?.stop();
    await this.#server?.close();
    this.#scheduler = null;
    this.#server = null;
  }

  status(): RunnerStatus {
    const phase = 'live' as const;
    return { name: 'dtn-links', phase, position: 0n, failure: null, retryAt: null };
  }

  /** Where links are taken, once it has started; null: nowhere. */
  get port(): number | null {
    return this.#server?.port ?? null;
  }

  async windows(fromMs: number, untilMs: number): Promise<readonly Window[]> {
    const { node, peers } = this.settings;
    const { contacts } = await this.plans.from(fromMs, fromMs + HORIZON_MS);
    return contacts.filter(
      ({ from, to, startMs }) => from === node && peers.has(to) && startMs < untilMs,
    );
  }

  async connect(to: string): Promise<Link> {
    const address = this.settings.peers.get(to);
    if (!address) throw new Error(`there is no address of ${to}`);
    return connectTcpcl(address, { ...this.#terms(), take: this.take });
  }

  /** Its contact must be the one that the bundle is planned for. */
  async next(window: Window, max: number, passedBy: ReadonlySet<string>): Promise<Outgoing[]> {
    const page = { prefix: outboxPrefix(window.to), direction: 'forwards' } as const;
    const { documents } = await this.projections.list(outbox, {
      ...{ ...page, limit: LOOKED_AT_MAX, offset: 0 },
    });
    const found: Outgoing[] = [];
    for (const { document } of documents) {
      if (document.contact !== window.id || passedBy.has(document.bundleId)) continue;
      const outgoing = await this.#outgoing(document.bundleId, window);
      if (outgoing) found.push(outgoing);
      if (found.length === max) break;
    }
    return found;
  }

  async forwarded(bundleId: string, { id: contact, to }: Window): Promise<void> {
    const data = { contact, to, forwardedAt: instant(this.clock) };
    const cause = { id: bundleId, correlationId: bundleId };
    const context = followUp(cause, `forwarded ${contact} ${data.forwardedAt}`, 'system');
    await this.bundles.run(bundleId, { type: 'ForwardBundle', data }, context);
  }

  failed({ id, to }: Window, error: unknown): void {
    this.logger.warn({ contact: id, peer: to, err: error }, 'a link failed');
  }

  /** A bundle for this node. It forwards no bundles of others, whose custody has no payer. */
  readonly take = async (content: Uint8Array, peer: string): Promise<number | null> => {
    if (!this.settings.peers.has(peer)) return REFUSE_REASONS.notAcceptable;
    const bundle = bundleOf(content);
    if (!bundle) return REFUSE_REASONS.notAcceptable;
    const { flags, destination } = bundle.primary;
    const bundleId = reportedBundleOf(this.settings.node, destination);
    if (bundleId === null || (flags & BUNDLE_FLAGS.isAdministrative) === 0) {
      return REFUSE_REASONS.notAcceptable;
    }
    const isKnown = await this.reports.record(bundleId, bundle, instant(this.clock));
    return isKnown ? null : REFUSE_REASONS.notAcceptable;
  };

  async #outgoing(bundleId: string, { id, to }: Window): Promise<Outgoing | null> {
    const state = await this.bundles.stateOf(bundleId);
    const [hop] = state?.route ?? [];
    // The outbox is a view, and may be behind the log.
    if (state?.status !== 'stored' || hop?.contact !== id || hop.to !== to) return null;
    if (Date.parse(hop.lapsesAt) < this.clock.now()) return null;
    const parts = await Array.fromAsync(await this.bundles.open(state));
    return { key: bundleId, content: Buffer.concat(parts) };
  }

  #serve(listen: NonNullable<DtnSettings['listen']>): Promise<TcpclServer> {
    return serveTcpcl(listen, {
      ...{ ...this.#terms(), take: this.take, connectionsMax: CONNECTIONS_MAX },
      onSession: (session) => {
        const { node, isSecure } = session.peer;
        const isPeer = this.settings.peers.has(node);
        this.logger.info({ peer: node, isSecure, isPeer }, 'a node has opened a session');
        if (!isPeer) void session.end();
      },
      onFault: (fault) => this.logger.warn({ err: fault }, 'a connection became no session'),
    });
  }

  #terms() {
    const { node, tls } = this.settings;
    return { ...TERMS, node, tls, timers: this.#timers() };
  }

  #timers(): Timers {
    return { ...systemTimers, now: this.clock.now };
  }
}

const bundleOf = (content: Uint8Array): Bundle | null => {
  try {
    return decodeBundle(content);
  } catch (error) {
    if (error instanceof BundleError) return null;
    throw error;
  }
};
