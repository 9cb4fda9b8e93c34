import { marginCsv, marginFields, marginTable } from '#areas/costs/margin-fields.js';
import { type MarginGroup } from '#areas/costs/margin-groups.js';
import { MarginQuery } from '#areas/costs/margin.handler.js';
import { margins } from '#projections/costs/margins.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { reportText } from '../table.js';

export interface MarginOptions extends CommonOptions {
  readonly from: string;
  readonly to: string;
  readonly by: readonly MarginGroup[];
  readonly account?: string;
  readonly rig?: readonly string[];
  readonly csv?: boolean;
}

/** The parts that the commands of costs compose. */
export const COST_NEEDS = {
  areas: ['costs'],
  installation: 'exists',
  projections: [margins],
} as const;

export const margin = async (
  { from, to, by, account, rig: rigs, csv: isCsv = false }: MarginOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const order = {
    from,
    to,
    by,
    ...(account !== undefined && { accountId: account }),
    ...(rigs && { rigs }),
  };
  const report = await withQuipu(invocation, COST_NEEDS, ({ queries }) =>
    queries.execute(new MarginQuery(order)),
  );
  return {
    json: { from, to, rows: report.rows.map(marginFields), position: report.position.toString() },
    text: isCsv ? marginCsv(report, by).trimEnd() : reportText(marginTable(report, by)),
  };
};
