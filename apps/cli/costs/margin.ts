import { marginCsv, marginFields, marginTable } from '#areas/costs/margin-fields.js';
import { type MarginGroup } from '#areas/costs/margin-groups.js';
import { type MarginOrder, MarginQuery } from '#areas/costs/margin.handler.js';
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
const COST_NEEDS = {
  areas: ['costs'],
  installation: 'exists',
  projections: [margins],
} as const;

/** The report, and its place in the log. */
export const marginAt = (order: MarginOrder, invocation: Invocation) =>
  withQuipu(invocation, COST_NEEDS, async ({ queries, placeAt }) => {
    const report = await queries.execute(new MarginQuery(order));
    return { report, place: await placeAt(report.position) };
  });

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
  const { report, place } = await marginAt(order, invocation);
  return {
    json: { from, to, rows: report.rows.map(marginFields), position: place },
    text: isCsv ? marginCsv(report, by).trimEnd() : reportText(marginTable(report, by)),
  };
};
