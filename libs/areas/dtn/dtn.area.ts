import { dtnEvents } from '#events/dtn/dtn.events.js';
import { remoteEvents } from '#events/dtn/remote.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { bookedContacts } from '#projections/dtn/booked-contacts.projection.js';
import { bundles } from '#projections/dtn/bundles.projection.js';
import { openBundles } from '#projections/dtn/open-bundles.projection.js';
import { outbox } from '#projections/dtn/outbox.projection.js';
import { remoteRequests } from '#projections/dtn/remote-requests.projection.js';
import { storedBundles } from '#projections/dtn/stored-bundles.projection.js';
import { bundleCustodySaga } from './bundle-custody.saga.js';
import {
  ChargeBundleCommand,
  ExpireBundleCommand,
  ReleaseBundleCommand,
  ReplanBundlesCommand,
  RerouteBundleCommand,
  RetainBundleCommand,
} from './change-bundle.handlers.js';
import { custodyProduct } from './custody.product.js';
import { dtnErrors } from './dtn.errors.js';
import { DtnModule } from './dtn.module.js';
import { dtnSettings } from './dtn.settings.js';
import { BundleLinks } from './links/bundle-links.js';
import { planChangesSaga } from './plan-changes.saga.js';
import { remoteChatProduct } from './remote/remote-chat.product.js';
import {
  ExpireRemoteRequestCommand,
  SettleRemoteRequestCommand,
} from './remote/remote-requests.js';
import { remoteRequestsSaga } from './remote/remote-requests.saga.js';

export const dtnArea = defineArea({
  name: 'dtn',
  description: 'Bundles in the custody of this node, the contact plan, and routes over it.',
  module: DtnModule,
  events: [...dtnEvents, ...remoteEvents],
  projections: [bundles, openBundles, storedBundles, bookedContacts, outbox, remoteRequests],
  leaderServices: [BundleLinks],
  sagas: [
    deploySaga(bundleCustodySaga, {
      ExpireBundle: ({ bundleId }, context) => new ExpireBundleCommand(bundleId, context),
      RerouteBundle: ({ bundleId }, context) => new RerouteBundleCommand(bundleId, context),
      RetainBundle: ({ bundleId }, context) => new RetainBundleCommand(bundleId, context),
      ReleaseBundle: ({ bundleId }, context) => new ReleaseBundleCommand(bundleId, context),
      ChargeBundle: ({ bundleId }, context) => new ChargeBundleCommand(bundleId, context),
    }),
    deploySaga(planChangesSaga, {
      ReplanBundles: (_, context) => new ReplanBundlesCommand(context),
    }),
    deploySaga(remoteRequestsSaga, {
      ExpireRemoteRequest: ({ requestId }, context) =>
        new ExpireRemoteRequestCommand(requestId, context),
      SettleRemoteRequest: ({ requestId }, context) =>
        new SettleRemoteRequestCommand(requestId, context),
    }),
  ],
  products: [custodyProduct, remoteChatProduct],
  errors: dtnErrors,
  settings: [dtnSettings],
});
