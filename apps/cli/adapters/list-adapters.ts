import { VaultQuery } from '#areas/adapters/vault.handler.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { accountOf } from '../user-option.js';
import { adapterJson, gainOf } from './adapter-fields.js';
import { ADAPTER_NEEDS } from './adapter-needs.js';

export interface ListAdaptersOptions extends CommonOptions {
  readonly user: string;
  readonly category?: string;
  readonly baseModel?: string;
}

/** All on one page. */
const PAGE = { page: 1, limit: Number.MAX_SAFE_INTEGER } as const;

export const listAdapters = async (
  { user, category, baseModel }: ListAdaptersOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { adapters } = await withQuipu(invocation, ADAPTER_NEEDS, async ({ queries }) => {
    const accountId = await accountOf({ queries }, user);
    const filter = { category: category ?? null, baseModel: baseModel ?? null };
    return queries.execute(new VaultQuery(accountId, filter, PAGE));
  });
  const rows = adapters.map((entry) => [
    entry.slug,
    entry.category,
    entry.baseModel,
    `${entry.rank}`,
    `${entry.bytes}`,
    entry.source,
    gainOf(entry)?.toFixed(2) ?? '',
  ]);
  const header = ['SLUG', 'CATEGORY', 'BASE', 'RANK', 'BYTES', 'SOURCE', 'GAIN'];
  return {
    json: { adapters: adapters.map(adapterJson) },
    text: listText({ noun: 'adapters', header, rows }),
  };
};
