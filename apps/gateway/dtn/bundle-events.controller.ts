import { type DtnErrorCode } from '#areas/dtn/dtn.errors.js';
import { BundleHistoryQuery } from '#areas/dtn/dtn.queries.js';
import { followController } from '../sse/follow.controller.js';
import { presentBundleEvent } from './dtn.presenter.js';

export const BundleEventsController = followController({
  area: 'dtn',
  path: 'api/v1/dtn/bundles/:id/events',
  noun: 'bundle',
  name: 'BundlesController',
  endsAfter: 'its rejection, cancellation, delivery or expiry',
  example:
    'id: 0\nevent: accepted\ndata: {"bundle_id":"7d1f0c52-…","recorded_at":' +
    '"2026-11-25T19:00:00.000Z","route":[]}\n\n',
  failures: ['bundle_not_found', 'bundle_event_unknown'] satisfies readonly DtnErrorCode[],
  tooMany: 'too_many_bundle_streams' satisfies DtnErrorCode,
  history: (id, reader, after) => new BundleHistoryQuery(id, reader, after),
  present: presentBundleEvent,
});
