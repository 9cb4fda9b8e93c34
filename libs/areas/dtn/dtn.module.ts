import { Module } from '@nestjs/common';
import { planEvents } from '#events/dtn/dtn.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { BundleRoutes } from './bundle-routes.js';
import {
  CancelBundleHandler,
  ChargeBundleHandler,
  ExpireBundleHandler,
  ReleaseBundleHandler,
  ReplanBundlesHandler,
  RerouteBundleHandler,
  RetainBundleHandler,
} from './change-bundle.handlers.js';
import { ChangePlanHandler } from './change-plan.handler.js';
import { ContactPlans, PLAN_RUNNER, type PlanRunner } from './contact-plans.js';
import { CustodyFunds } from './custody-funds.js';
import {
  BundleContentHandler,
  BundleHandler,
  BundleHistoryHandler,
  BundlesHandler,
  PlanHandler,
  PlanStateHandler,
  RemoteRequestsHandler,
  RoutesHandler,
} from './dtn.queries.js';
import { HandOverBundleHandler } from './hand-over.handler.js';
import { BundleLinks } from './links/bundle-links.js';
import { StatusReports } from './links/status-reports.js';
import {
  ExpireRemoteRequestHandler,
  RemoteRequests,
  SettleRemoteRequestHandler,
} from './remote/remote-requests.js';
import { RemoteFunds } from './remote/remote-funds.js';
import { planDecider } from './plan.decider.js';
import { StoredBundles } from './stored-bundles.js';

const planRunner = {
  provide: PLAN_RUNNER,
  inject: [EVENT_STORE, CODEC],
  useFactory: (eventStore: EventStore, codec: EventCodec): PlanRunner =>
    new CommandRunner({ decider: planDecider, eventStore, codec: codec.for(planEvents) }),
};

@Module({
  providers: [
    planRunner,
    ContactPlans,
    BundleRoutes,
    StoredBundles,
    StatusReports,
    BundleLinks,
    RemoteFunds,
    RemoteRequests,
    ExpireRemoteRequestHandler,
    SettleRemoteRequestHandler,
    HandOverBundleHandler,
    CancelBundleHandler,
    ChargeBundleHandler,
    CustodyFunds,
    ExpireBundleHandler,
    RerouteBundleHandler,
    ReplanBundlesHandler,
    RetainBundleHandler,
    ReleaseBundleHandler,
    ChangePlanHandler,
    BundleHandler,
    BundlesHandler,
    BundleContentHandler,
    BundleHistoryHandler,
    RemoteRequestsHandler,
    RoutesHandler,
    PlanHandler,
    PlanStateHandler,
  ],
  exports: [RemoteRequests],
})
export class DtnModule {}
