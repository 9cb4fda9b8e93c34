import { ExportBillQuery } from '#areas/audit/export-bill.handler.js';
import { statements } from '#projections/billing/statements.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';
import { writeWhole } from '../written-file.js';

export interface ExportStatementOptions extends CommonOptions {
  readonly user: string;
  readonly month: string;
  readonly out?: string;
}

const NEEDS = {
  areas: ['identity', 'billing', 'audit'],
  installation: 'exists',
  projections: [statements],
} as const;

/** Writes the archive of a statement; a running server keeps its log published. */
export const exportStatement = async (
  { user, month, out: file = `statement-${month}.zip` }: ExportStatementOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ queries }) => {
    const accountId = await accountOf({ queries }, user);
    const archive = await queries.execute(new ExportBillQuery(accountId, month));
    await writeWhole(archive, file, invocation.signal);
    return {
      json: { account_id: accountId, month, file },
      text: `Wrote the statement ${month} of ${user} with its proof to ${file}.`,
    };
  });
