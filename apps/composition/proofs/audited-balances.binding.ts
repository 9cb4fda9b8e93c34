import { type AuditLog } from '#areas/audit/audit-log.js';
import {
  type AccountBalance,
  type BalancesAt,
  LedgerBalances,
  type LedgerCheckpoint,
} from '#areas/proofs/ledger-balances.port.js';
import { fromDecimal } from '#platform/kernel/money.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';

const PAGE = 1_000;

/** The accounts of billing as they were at the newest checkpoint of the transparency log. */
export class AuditedBalances extends LedgerBalances {
  constructor(
    private readonly log: Pick<AuditLog, 'checkpoint' | 'leaf'>,
    private readonly projections: Pick<Projections, 'at'>,
  ) {
    super();
  }

  override async checkpoint(): Promise<LedgerCheckpoint> {
    const published = await this.log.checkpoint();
    const { size, root, note } = published;
    const { position } = await this.log.leaf(size - 1, published);
    return { position, size, rootSha256: root.toString('hex'), note };
  }

  override async at(position: bigint, accountsMax: number): Promise<BalancesAt> {
    const past = await this.projections.at({ position });
    const accounts: AccountBalance[] = [];
    for (;;) {
      const { documents } = await past.list(accountOverview, {
        limit: Math.min(PAGE, accountsMax + 1 - accounts.length),
        offset: accounts.length,
      });
      accounts.push(
        ...documents.map(({ document: { accountId, available, held } }) => ({
          accountId,
          microUsd: fromDecimal(available) + fromDecimal(held),
        })),
      );
      if (documents.length === 0 || accounts.length > accountsMax) break;
    }
    return { atMs: past.readAt, accounts };
  }
}
