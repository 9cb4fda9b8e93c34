import { type Logger } from 'pino';
import { type Contact } from '#areas/dtn/routing/contact-plan.js';
import { routesOf } from '#areas/dtn/routing/contact-routes.js';
import { type DtnSettings } from '#areas/dtn/dtn.settings.js';
import {
  type Bundle,
  BLOCK_TYPES,
  BUNDLE_FLAGS,
  bundleKeyOf,
  dtnTimeOf,
  PAYLOAD_NUMBER,
  payloadOf,
  unixTimeOf,
} from '#engines/bundles/bundle.js';
import { decodeBundle, encodeBundle } from '#engines/bundles/bundle.codec.js';
import { BundleError } from '#engines/bundles/bundles.errors.js';
import { DTN_NONE, nodeOf } from '#engines/bundles/endpoint-id.js';
import { type BundleStatus, encodeStatusReport } from '#engines/bundles/status-report.js';
import {
  ContactScheduler,
  type Link,
  type Outbox,
  type Outgoing,
  type Window,
} from '#engines/convergence/contact-scheduler.js';
import { connectTcpcl, serveTcpcl, type TcpclServer } from '#engines/convergence/tcpcl.js';
import { REFUSE_REASONS } from '#engines/convergence/tcpcl.messages.js';
import { type Timers } from '#engines/convergence/timers.js';
import { type NodePlan } from './node-plan.js';
import { type KeptBundle, type NewBundle, type NodeStore } from './node-store.js';

export interface NodeParts {
  readonly settings: DtnSettings;
  readonly store: NodeStore;
  readonly plan: NodePlan;
  readonly timers: Timers;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Answers a request; null: the node has no such service. */
  readonly serve: ((request: Bundle, payload: Uint8Array) => Promise<Answer | null>) | null;
}

/** The bundle that a service sends back. */
export interface Answer {
  readonly destination: string;
  readonly payload: Uint8Array;
  readonly lifetimeMs: number;
}

const TERMS = { keepaliveSec: 60, segmentMru: 65_536, transferMru: 1_048_576 };
const CONNECTIONS_MAX = 64;
const WAITING_MAX = 1_000;
const EXPIRY_MS = 10_000;
const CRC_TYPE = 2;

/**
 * A node on its own: it stores bundles durably, delivers those for itself, reports, and forwards the
 * others by its own contact plan.
 */
export class BundleNode implements Outbox {
  readonly #scheduler: ContactScheduler;
  #server: TcpclServer | null = null;
  #stop = new AbortController();
  #expiring: Promise<void> = Promise.resolve();
  #sequence = 0;

  constructor(private readonly parts: NodeParts) {
    this.#scheduler = new ContactScheduler(this, parts.timers);
  }

  get port(): number | null {
    return this.#server?.port ?? null;
  }

  async start(): Promise<void> {
    const { settings, logger, plan } = this.parts;
    plan.contacts();
    const { listen } = settings;
    if (listen) {
      this.#server = await serveTcpcl(listen, {
        ...{ ...this.#terms(), take: this.take, connectionsMax: CONNECTIONS_MAX },
        onSession: (session) => {
          logger.info({ peer: session.peer.node }, 'a node has opened a session');
          if (!settings.peers.has(session.peer.node)) void session.end();
        },
        onFault: (fault) => logger.warn({ err: fault }, 'a connection became no session'),
      });
    }
    this.#stop = new AbortController();
    this.#expiring = this.#expire(this.#stop.signal);
    this.#scheduler.start();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#scheduler.stop();
    await this.#server?.close();
    await this.#expiring;
  }

  windows(_fromMs: number, untilMs: number): Promise<readonly Window[]> {
    const { node, peers } = this.parts.settings;
    const isOwn = ({ from, to, startMs }: Contact): boolean =>
      from === node && peers.has(to) && startMs < untilMs;
    return Promise.resolve(this.parts.plan.contacts().filter(isOwn));
  }

  async connect(to: string): Promise<Link> {
    const address = this.parts.settings.peers.get(to);
    if (!address) throw new Error(`there is no address of ${to}`);
    return connectTcpcl(address, { ...this.#terms(), take: this.take });
  }

  /** A bundle leaves by the first contact of the route that is best at this instant. */
  next(window: Window, max: number, passedBy: ReadonlySet<string>): Promise<Outgoing[]> {
    const firsts = new Map<string, string | undefined>();
    const found: Outgoing[] = [];
    for (const bundle of this.parts.store.waiting(WAITING_MAX)) {
      if (found.length === max) break;
      if (passedBy.has(bundle.key)) continue;
      // Bundles of one destination and size leave by one contact.
      const name = `${bundle.destination} ${bundle.bytes}`;
      if (!firsts.has(name)) firsts.set(name, this.#firstContactOf(bundle));
      const content = firsts.get(name) === window.id ? this.parts.store.content(bundle.key) : null;
      if (content) found.push({ key: bundle.key, content });
    }
    return Promise.resolve(found);
  }

  forwarded(key: string, { id, to }: Window): Promise<void> {
    this.parts.logger.info({ bundle: key, contact: id, peer: to }, 'a bundle was forwarded');
    return this.parts.store.leave(key, 'forwarded', to, this.parts.timers.now());
  }

  failed({ id, to }: Window, error: unknown): void {
    this.parts.logger.warn({ contact: id, peer: to, err: error }, 'a link failed');
  }

  /** Stores a bundle of a peer; a repeat is acknowledged again. */
  readonly take = async (content: Uint8Array, peer: string): Promise<number | null> => {
    const { settings, store, timers } = this.parts;
    const bundle = settings.peers.has(peer) ? bundleOf(content) : null;
    if (!bundle) return REFUSE_REASONS.notAcceptable;
    const nowMs = timers.now();
    const key = bundleKeyOf(bundle);
    if (store.has(key)) return null;
    const expiresMs = expiryOf(bundle, nowMs);
    if (expiresMs <= nowMs) return REFUSE_REASONS.notAcceptable;
    if (store.storedBytes() + content.length > settings.bytesMax) return REFUSE_REASONS.noResources;
    const isOwn = nodeOf(bundle.primary.destination) === settings.node;
    const { destination } = bundle.primary;
    const kept = { key, destination, bytes: content.length, expiresMs, content };
    const stored: NewBundle = {
      ...{ ...kept, state: isOwn ? 'delivered' : 'waiting', event: isOwn ? 'delivered' : 'stored' },
      detail: peer,
    };
    await store.add([stored, ...this.#reportsOf(bundle, isOwn, nowMs)], nowMs);
    this.parts.logger.info({ bundle: key, peer, destination }, 'a bundle was stored');
    if (isOwn) void this.#serve(key, bundle);
    this.#scheduler.wake();
    return null;
  };

  /** Carries out requests that were stored before a restart. */
  async resume(): Promise<void> {
    for (const { key, content } of this.parts.store.delivered()) {
      const bundle = bundleOf(content);
      if (bundle) await this.#serve(key, bundle);
    }
  }

  async #serve(key: string, bundle: Bundle): Promise<void> {
    const { serve, store, timers, logger } = this.parts;
    try {
      const answer = await serve?.(bundle, payloadOf(bundle));
      if (!answer) return;
      const own = this.#ownBundle(answer, 0, 'answered');
      await store.add([own], timers.now());
      await store.leave(key, 'served', own.key, timers.now());
      this.#scheduler.wake();
    } catch (error) {
      logger.error({ err: error, bundle: key }, 'a request failed');
    }
  }

  #firstContactOf({ destination, bytes, expiresMs }: KeptBundle): string | undefined {
    const { settings, plan, timers } = this.parts;
    const [route] = routesOf(
      plan.contacts(),
      {
        ...{ from: settings.node, to: nodeOf(destination) ?? destination, bytes },
        ...{ readyAtMs: timers.now(), expiresAtMs: expiresMs, priority: 'normal' },
        booked: new Map(),
      },
      1,
    );
    return route?.hops[0]?.contact.id;
  }

  /** The reports that the bundle asks for, to the node that it names. */
  #reportsOf({ primary }: Bundle, isOwn: boolean, nowMs: number): readonly NewBundle[] {
    const { flags, reportTo, source, created, lifetimeMs } = primary;
    const asks = (flag: number): boolean => (flags & flag) !== 0;
    const statuses: BundleStatus[] = [];
    if (asks(BUNDLE_FLAGS.reportReception)) statuses.push('received');
    if (isOwn && asks(BUNDLE_FLAGS.reportDelivery)) statuses.push('delivered');
    if (statuses.length === 0 || reportTo === DTN_NONE) return [];
    const timeMs = asks(BUNDLE_FLAGS.statusTimeRequested) ? dtnTimeOf(nowMs) : null;
    const item = (status: BundleStatus) => {
      const isAsserted = statuses.includes(status);
      return { isAsserted, timeMs: isAsserted ? timeMs : null };
    };
    const payload = encodeStatusReport({
      items: {
        received: item('received'),
        forwarded: item('forwarded'),
        delivered: item('delivered'),
        deleted: item('deleted'),
      },
      ...{ reason: 0, source, created, fragment: null },
    });
    const answer = { destination: reportTo, payload, lifetimeMs };
    return [this.#ownBundle(answer, BUNDLE_FLAGS.isAdministrative, 'reported')];
  }

  #ownBundle(
    { destination, payload, lifetimeMs }: Answer,
    flags: number,
    event: string,
  ): NewBundle {
    const nowMs = this.parts.timers.now();
    const { node } = this.parts.settings;
    const bundle: Bundle = {
      primary: {
        ...{ flags, crcType: CRC_TYPE, destination, source: `${node}node`, reportTo: DTN_NONE },
        created: { timeMs: dtnTimeOf(nowMs), sequence: (this.#sequence += 1) },
        ...{ lifetimeMs, fragment: null },
      },
      blocks: [
        {
          ...{ type: BLOCK_TYPES.payload, number: PAYLOAD_NUMBER, flags: 0, crcType: CRC_TYPE },
          data: payload,
        },
      ],
    };
    const content = encodeBundle(bundle);
    return {
      ...{ key: bundleKeyOf(bundle), destination, bytes: content.length, content },
      ...{ expiresMs: nowMs + lifetimeMs, state: 'waiting', event, detail: destination },
    };
  }

  async #expire(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      await this.parts.store.expire(this.parts.timers.now());
      await this.parts.timers.wait(EXPIRY_MS, signal);
    }
  }

  #terms() {
    const { node, tls } = this.parts.settings;
    return { ...TERMS, node, tls, timers: this.parts.timers };
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

/** The lifetime of a node without a clock begins when its bundle is received. */
const expiryOf = ({ primary: { created, lifetimeMs } }: Bundle, nowMs: number): number =>
  (created.timeMs === 0 ? nowMs : unixTimeOf(created.timeMs)) + lifetimeMs;
