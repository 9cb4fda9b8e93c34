import { BundlesQuery } from '#areas/dtn/dtn.queries.js';
import { AccountOfUserQuery } from '#areas/identity/accounts/account-of-user.handler.js';
import { bundles } from '#projections/dtn/bundles.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { ofUser } from '../user-option.js';

export interface ListBundlesOptions extends CommonOptions {
  readonly user: string;
  readonly page: number;
}

const LIMIT = 50;

const NEEDS = {
  areas: ['identity', 'billing', 'catalog', 'dtn', 'orbit'],
  installation: 'exists',
  projections: [bundles],
} as const;

export const listBundles = async (
  { user, page }: ListBundlesOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const found = await withQuipu(invocation, NEEDS, async ({ queries }) => {
    const accountId = await ofUser('--user', user, queries.execute(new AccountOfUserQuery(user)));
    return queries.execute(new BundlesQuery(accountId, page, LIMIT));
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
