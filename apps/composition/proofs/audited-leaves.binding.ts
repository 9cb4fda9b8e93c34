import { type AuditLog } from '#areas/audit/audit-log.js';
import {
  type LeavesAt,
  type LedgerCheckpoint,
  SnapshotSource,
  type SourceLeaf,
  type Statement,
} from '#areas/proofs/snapshot-source.port.js';
import { fromDecimal } from '#platform/kernel/money.js';
import { type DocumentReader } from '#platform/runtime/projections/document-reader.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';
import { openBundles } from '#projections/dtn/open-bundles.projection.js';

const PAGE = 1_000;

type PageOf = (past: DocumentReader, limit: number, offset: number) => Promise<SourceLeaf[]>;

/** The pages of the leaves of each statement. */
const PAGES: Readonly<Record<Statement, PageOf>> = {
  ledger_balances: async (past, limit, offset) => {
    const { documents } = await past.list(accountOverview, { limit, offset });
    return documents.map(({ document: { accountId, available, held } }) => ({
      id: accountId,
      accountId,
      amount: fromDecimal(available) + fromDecimal(held),
    }));
  },
  orbital_bundles: async (past, limit, offset) => {
    const { documents } = await past.list(openBundles, { limit, offset });
    return documents.map(({ document: { bundleId, accountId, bundleBytes } }) => ({
      id: bundleId,
      accountId,
      amount: BigInt(bundleBytes),
    }));
  },
};

/** The read models as they were at the newest checkpoint of the transparency log. */
export class AuditedLeaves extends SnapshotSource {
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

  override async leavesAt(
    statement: Statement,
    position: bigint,
    leavesMax: number,
  ): Promise<LeavesAt> {
    const past = await this.projections.at({ position });
    const leaves: SourceLeaf[] = [];
    for (;;) {
      const limit = Math.min(PAGE, leavesMax + 1 - leaves.length);
      const page = await PAGES[statement](past, limit, leaves.length);
      leaves.push(...page);
      if (page.length === 0 || leaves.length > leavesMax) return { atMs: past.readAt, leaves };
    }
  }
}
