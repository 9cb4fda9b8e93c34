import { usdOf } from '#areas/requests/request-fields.js';
import { spendCsv, spendFields, spendTable } from '#areas/requests/spend-fields.js';
import { type SpendGroup } from '#areas/requests/spend-groups.js';
import { SpendQuery } from '#areas/requests/spend.handler.js';
import { spend } from '#projections/requests/spend.projection.js';
import { teams } from '#projections/teams/teams.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { reportText } from '../table.js';
import { accountOf } from '../user-option.js';

export interface ShowSpendOptions extends CommonOptions {
  readonly user: string;
  readonly from: string;
  readonly to: string;
  readonly by: readonly SpendGroup[];
  readonly tz: string;
  readonly csv?: boolean;
}

const NEEDS = {
  areas: ['identity', 'requests', 'teams'],
  installation: 'exists',
  projections: [spend, teams],
} as const;

export const showSpend = async (
  { user, from, to, by, tz, csv: isCsv = false }: ShowSpendOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { report, position } = await withQuipu(invocation, NEEDS, async (context) => {
    const accountId = await accountOf(context, user);
    const query = new SpendQuery({ accountId, from, to, by, timeZone: tz });
    const found = await context.queries.execute(query);
    return { report: found, position: await context.placeAt(found.position) };
  });
  const { rows, amount } = report;
  return {
    json: {
      ...{ from, to, tz, rows: rows.map(spendFields), total_usd: usdOf(amount) },
      position,
    },
    text: isCsv ? spendCsv(report, by).trimEnd() : reportText(spendTable(report, by)),
  };
};
