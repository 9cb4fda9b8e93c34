import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { type CustodyRecord } from '#projections/dtn/bundles.projection.js';
import { openBundles } from '#projections/dtn/open-bundles.projection.js';
import { isKept } from './bundle.decider.js';
import { RESEND_MS } from './bundle-custody.saga.js';
import { BundleRoutes } from './bundle-routes.js';
import { nodeOf } from './bundles.engine.js';
import { CustodyFunds } from './custody-funds.js';
import { reject } from './dtn.errors.js';
import { DTN_SETTINGS, type DtnSettings } from './dtn.settings.js';
import { StoredBundles } from './stored-bundles.js';

/** After a change of the plan; further ones wait for their next lapse. */
export const REPLANNED_MAX = 1_000;

/** Ends the custody of a bundle that nothing has forwarded. */
export class CancelBundleCommand extends Command<CustodyRecord> {
  constructor(
    readonly bundleId: string,
    readonly accountId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CancelBundleCommand)
export class CancelBundleHandler implements ICommandHandler<CancelBundleCommand> {
  constructor(
    private readonly bundles: StoredBundles,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `bundle_not_found`, `bundle_ended` */
  async execute({ bundleId, accountId, context }: CancelBundleCommand): Promise<CustodyRecord> {
    await this.bundles.find(bundleId, { accountId });
    const data = { accountId, cancelledAt: instant(this.clock) };
    const { state } = await this.bundles.run(bundleId, { type: 'CancelBundle', data }, context);
    await this.bundles.releaseContent(bundleId);
    return state ?? reject('bundle_not_found', 'there is no such bundle');
  }
}

/** A command of `bundle-custody.saga.ts`. Each may come twice. */
abstract class OnBundle extends Command<void> {
  constructor(
    readonly bundleId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export class ExpireBundleCommand extends OnBundle {}
export class RerouteBundleCommand extends OnBundle {}
export class RetainBundleCommand extends OnBundle {}
export class ReleaseBundleCommand extends OnBundle {}
export class ChargeBundleCommand extends OnBundle {}

@CommandHandler(ExpireBundleCommand)
export class ExpireBundleHandler implements ICommandHandler<ExpireBundleCommand> {
  constructor(
    private readonly bundles: StoredBundles,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ bundleId, context }: ExpireBundleCommand): Promise<void> {
    const data = { expiredAt: instant(this.clock) };
    await this.bundles.run(bundleId, { type: 'ExpireBundle', data }, context);
  }
}

@CommandHandler(RetainBundleCommand)
export class RetainBundleHandler implements ICommandHandler<RetainBundleCommand> {
  constructor(private readonly bundles: StoredBundles) {}

  execute({ bundleId }: RetainBundleCommand): Promise<void> {
    return this.bundles.retainContent(bundleId);
  }
}

@CommandHandler(ReleaseBundleCommand)
export class ReleaseBundleHandler implements ICommandHandler<ReleaseBundleCommand> {
  constructor(private readonly bundles: StoredBundles) {}

  execute({ bundleId }: ReleaseBundleCommand): Promise<void> {
    return this.bundles.releaseContent(bundleId);
  }
}

@CommandHandler(ChargeBundleCommand)
export class ChargeBundleHandler implements ICommandHandler<ChargeBundleCommand> {
  constructor(
    private readonly bundles: StoredBundles,
    private readonly funds: CustodyFunds,
  ) {}

  async execute({ bundleId, context }: ChargeBundleCommand): Promise<void> {
    const bundle = await this.bundles.stateOf(bundleId);
    if (bundle) await this.funds.charge(bundle, context);
  }
}

@CommandHandler(RerouteBundleCommand)
export class RerouteBundleHandler implements ICommandHandler<RerouteBundleCommand> {
  constructor(
    private readonly bundles: StoredBundles,
    private readonly routes: BundleRoutes,
    @Inject(DTN_SETTINGS) private readonly settings: DtnSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Without a better plan the bundle keeps its route. */
  async execute({ bundleId, context }: RerouteBundleCommand): Promise<void> {
    const bundle = await this.bundles.stateOf(bundleId);
    const nowMs = this.clock.now();
    if (!bundle || bundle.expiresAt === null || !isToPlan(bundle, nowMs)) return;
    const asked = {
      from: this.settings.node,
      to: nodeOf(bundle.destination) ?? bundle.destination,
      readyAtMs: nowMs,
      expiresAtMs: Date.parse(bundle.expiresAt),
      bytes: bundle.bundleBytes ?? 0,
      priority: bundle.priority,
    };
    const { routes } = await this.routes.find(asked, 1, bundle.route);
    const [route = null] = routes;
    if (bundle.status === 'stored' && isUnchanged(bundle, route, nowMs)) return;
    const data = { route, reroutedAt: new Date(nowMs).toISOString() };
    await this.bundles.run(bundleId, { type: 'RerouteBundle', data }, context);
  }
}

/** A change of the plan does not concern a bundle that was forwarded; the missing report does. */
const isToPlan = (bundle: CustodyRecord, nowMs: number): boolean => {
  if (!isKept(bundle)) return false;
  const last = bundle.history.findLast(({ event }) => event === 'forwarded');
  return bundle.status === 'stored' || Date.parse(last?.at ?? '') + RESEND_MS <= nowMs;
};

type Route = CustodyRecord['route'];

const contactsOf = (route: Route): string => (route ?? []).map(({ contact }) => contact).join('>');

/** The same contacts, none of which has passed: only instants differ. */
const isUnchanged = ({ route: before }: CustodyRecord, route: Route, nowMs: number): boolean =>
  contactsOf(before) === contactsOf(route) &&
  (before ?? []).every(({ lapsesAt }) => Date.parse(lapsesAt) >= nowMs);

/** The command of `plan-changes.saga.ts`. */
export class ReplanBundlesCommand extends Command<void> {
  constructor(readonly context: CommandContext) {
    super();
  }
}

@CommandHandler(ReplanBundlesCommand)
export class ReplanBundlesHandler implements ICommandHandler<ReplanBundlesCommand> {
  constructor(
    private readonly reroute: RerouteBundleHandler,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
  ) {}

  async execute({ context }: ReplanBundlesCommand): Promise<void> {
    const page = { prefix: '', direction: 'forwards', limit: REPLANNED_MAX, offset: 0 } as const;
    const { documents } = await this.projections.list(openBundles, page);
    for (const { document } of documents) {
      const { bundleId } = document;
      const cause = { id: context.requestId, correlationId: context.correlationId };
      const own = followUp(cause, bundleId, context.actor);
      await this.reroute.execute(new RerouteBundleCommand(bundleId, own));
    }
  }
}
