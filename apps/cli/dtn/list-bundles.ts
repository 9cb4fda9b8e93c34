import { BundlesQuery } from '#areas/dtn/dtn.queries.js';
import { bundles } from '#projections/dtn/bundles.projection.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { accountOf } from '../user-option.js';
import { DTN_NEEDS, LIST_LIMIT, type ListOfAccountOptions } from './dtn.needs.js';

const NEEDS = { ...DTN_NEEDS, projections: [bundles] };

export const listBundles = async (
  { user, page }: ListOfAccountOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const found = await withQuipu(invocation, NEEDS, async (quipu) => {
    const accountId = await accountOf(quipu, user);
    return quipu.queries.execute(new BundlesQuery(accountId, page, LIST_LIMIT));
  });
  const rows = found.bundles.map((bundle) => [
    bundle.bundleId,
    bundle.status,
    bundle.destination,
    String(bundle.bundleBytes ?? '-'),
    bundle.acceptedAt,
  ]);
  return {
    json: {
      bundles: found.bundles.map((bundle) => ({
        bundle_id: bundle.bundleId,
        status: bundle.status,
        destination_eid: bundle.destination,
        bundle_bytes: bundle.bundleBytes,
        accepted_at: bundle.acceptedAt,
      })),
      page,
      total_records: found.total,
    },
    text:
      rows.length === 0
        ? 'There are no bundles here.'
        : inColumns([['ID', 'STATUS', 'DESTINATION', 'BYTES', 'ACCEPTED'], ...rows]),
  };
};
