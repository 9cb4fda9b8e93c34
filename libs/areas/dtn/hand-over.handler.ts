import { createHash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type BundleAccepted, type BundleRejected } from '#events/dtn/dtn.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { type CustodyRecord } from '#projections/dtn/bundles.projection.js';
import { storedBundles } from '#projections/dtn/stored-bundles.projection.js';
import { BundleRoutes } from './bundle-routes.js';
import {
  BLOCK_TYPES,
  BUNDLE_FLAGS,
  dtnTimeOf,
  encodeBundle,
  isEndpointId,
  nodeOf,
  PAYLOAD_NUMBER,
} from './bundles.engine.js';
import { CustodyFunds, type PricedBundle } from './custody-funds.js';
import { reject } from './dtn.errors.js';
import { DTN_SETTINGS, type DtnSettings } from './dtn.settings.js';
import { type Payload, payloadOf } from './payload.js';
import { type Priority } from './routing/contact-plan.js';
import { reportEndpointOf } from './links/status-reports.js';
import { StoredBundles } from './stored-bundles.js';

export interface BundleOrder {
  readonly accountId: string;
  readonly userId: UserId;
  readonly source: string;
  readonly destination: string;
  /** Hex or base64. */
  readonly payload: string;
  readonly priority: Priority;
  readonly lifetimeSec: number;
}

/** Hands a bundle over to this node. The answer says whether it has custody. */
export class HandOverBundleCommand extends Command<CustodyRecord> {
  constructor(
    readonly order: BundleOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** A bundle without the facts of its acceptance. */
type UnpaidBundle = Omit<BundleAccepted['data'], 'hold' | 'route' | 'blob'> & PricedBundle;

/** One acceptance of an account at a time: the next one sees what the one before has stored. */
export const TURNS = {
  total: 16,
  perAccount: 1,
  reserve: 4,
  waitingMax: 16,
  waitMsMax: 10_000,
};
const MS_PER_SECOND = 1_000;
/** CRC-32C. */
const CRC_TYPE = 2;

@CommandHandler(HandOverBundleCommand)
export class HandOverBundleHandler implements ICommandHandler<HandOverBundleCommand> {
  readonly #turns = new AccountTurns(TURNS, () => tooMany());

  constructor(
    private readonly bundles: StoredBundles,
    private readonly routes: BundleRoutes,
    private readonly funds: CustodyFunds,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>,
    @Inject(DTN_SETTINGS) private readonly settings: DtnSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError */
  async execute({ order, context }: HandOverBundleCommand): Promise<CustodyRecord> {
    this.#check(order);
    const payload = payloadOf(order.payload);
    return this.#turns.run(order.accountId, () => this.#handOver(order, payload, context));
  }

  #check({ source, destination }: BundleOrder): void {
    for (const [field, eid] of [
      ['source_eid', source],
      ['destination_eid', destination],
    ] as const) {
      if (eid.startsWith('dtn://') && isEndpointId(eid)) continue;
      reject('dtn_eid_invalid', `${field}: expected an endpoint, such as dtn://node/service`);
    }
    if (nodeOf(destination) === this.settings.node) {
      reject('dtn_destination_local', `destination_eid: ${this.settings.node} is this node`);
    }
  }

  async #handOver(
    { payload: _, ...order }: BundleOrder,
    payload: Payload,
    context: CommandContext,
  ): Promise<CustodyRecord> {
    const bundleId = derivedId('bundle', context.requestId);
    const known = await this.bundles.stateOf(bundleId);
    if (known) return known;
    await this.funds.demand(order.accountId, context);
    const nowMs = this.clock.now();
    const reportTo = reportEndpointOf(this.settings.node, bundleId);
    const content = encoded({ ...order, bundleId, reportTo }, payload.content, nowMs);
    const data = {
      ...order,
      bundleId,
      acceptedAt: isoOf(nowMs),
      payloadEncoding: payload.encoding,
      payloadBytes: payload.content.length,
    };
    const reason = await this.#rejectionOf(order, content.length);
    if (reason !== null) {
      return this.#run(bundleId, { type: 'RejectBundle', data: { ...data, reason } }, context);
    }
    const expiresAt = isoOf(nowMs + order.lifetimeSec * MS_PER_SECOND);
    return this.#accept({ ...data, bundleBytes: content.length, expiresAt }, content, context);
  }

  /** The price of the whole lifetime is held before a route is searched and a byte is stored. */
  async #accept(bundle: UnpaidBundle, content: Uint8Array, context: CommandContext) {
    const { bundleId, userId } = bundle;
    const hold = await this.funds.place(bundle, context);
    try {
      const route = await this.#routeOf(bundle);
      const blob = await this.bundles.put(content, userId);
      const data = { ...bundle, hold, route, blob };
      const record = await this.#run(bundleId, { type: 'AcceptBundle', data }, context);
      if (record.hold?.holdId !== hold.holdId) await this.funds.abandon(bundle, hold, context);
      await this.bundles.retainContent(bundleId);
      return record;
    } catch (error) {
      // After any other error the bundle may be in the log; if it is not, its hold expires.
      if (error instanceof DomainError) await this.funds.abandon(bundle, hold, context);
      throw error;
    }
  }

  async #routeOf(bundle: UnpaidBundle): Promise<BundleAccepted['data']['route']> {
    const { routes } = await this.routes.find({
      from: this.settings.node,
      to: nodeOf(bundle.destination) ?? bundle.destination,
      readyAtMs: Date.parse(bundle.acceptedAt),
      expiresAtMs: Date.parse(bundle.expiresAt),
      bytes: bundle.bundleBytes,
      priority: bundle.priority,
    });
    return routes[0] ?? null;
  }

  async #rejectionOf(
    { accountId, lifetimeSec }: Omit<BundleOrder, 'payload'>,
    bytes: number,
  ): Promise<BundleRejected['data']['reason'] | null> {
    if (lifetimeSec === 0) return 'lifetime_passed';
    const { document } = await this.projections.get(storedBundles, accountId);
    const stored = document ?? { bundles: 0, bytes: 0 };
    const { bundlesMax, bytesMax } = this.settings;
    const isFull = stored.bundles >= bundlesMax || stored.bytes + bytes > bytesMax;
    return isFull ? 'store_full' : null;
  }

  async #run(
    bundleId: string,
    command: Parameters<StoredBundles['run']>[1],
    context: CommandContext,
  ): Promise<CustodyRecord> {
    const { state } = await this.bundles.run(bundleId, command, context);
    return state ?? reject('bundle_not_found', 'there is no such bundle');
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

const tooMany = (): never =>
  reject('too_many_waiting_bundles', 'too many bundles of the account wait; try again');

type Addressed = Pick<BundleOrder, 'source' | 'destination' | 'lifetimeSec'> & {
  readonly bundleId: string;
  readonly reportTo: string;
};

/** As it travels. The sequence number tells bundles of one source and millisecond apart. */
const encoded = (
  { source, destination, lifetimeSec, bundleId, reportTo }: Addressed,
  data: Uint8Array,
  nowMs: number,
): Uint8Array =>
  encodeBundle({
    primary: {
      flags:
        BUNDLE_FLAGS.reportReception |
        BUNDLE_FLAGS.reportDelivery |
        BUNDLE_FLAGS.statusTimeRequested,
      crcType: CRC_TYPE,
      destination,
      source,
      reportTo,
      created: {
        timeMs: dtnTimeOf(nowMs),
        sequence: createHash('sha256').update(bundleId).digest().readUInt32BE(0),
      },
      lifetimeMs: lifetimeSec * MS_PER_SECOND,
      fragment: null,
    },
    blocks: [
      { type: BLOCK_TYPES.payload, number: PAYLOAD_NUMBER, flags: 0, crcType: CRC_TYPE, data },
    ],
  });
