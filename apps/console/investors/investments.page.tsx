import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, instant, usd } from '../shell/figures.js';
import { Filters } from '../shell/filters.js';
import { addressOf, asOf } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { ForInvestor, INVESTOR, investorAsked } from './for-investor.js';

type Dashboard = AnswerOf<'/api/v1/investor/dashboard.php'>;
type Node = AnswerOf<'/api/v1/investor/nodes.php'>['nodes'][number];
type Revenue = Node['lifetime'];

const both = ({ gross_revenue_usd: gross, net_revenue_usd: net }: Revenue): string =>
  `${usd(net)} of ${usd(gross)}`;

const factsOf = ({ portfolio_summary: portfolio, ...answer }: Dashboard): readonly Fact[] => [
  ['Purchase prices', usd(portfolio.total_valuation_usd)],
  ['GPUs', count(portfolio.allocated_gpus)],
  ['Nodes up', `${portfolio.active_nodes_count} of ${portfolio.nodes_count}`],
  ['Yield of a year', orDash(portfolio.apy_annualized_pct, (percent) => `${percent} %`)],
  ['Net of gross, 24 hours', both(answer.yield_metrics.last_24h)],
  ['Net of gross, 30 days', both(answer.yield_metrics.last_30d)],
  ['Net of gross, in all', both(answer.yield_metrics.lifetime)],
  ['Accrued through, UTC', instant(answer.accrued_through)],
];

const COLUMNS: readonly Column<Node>[] = [
  { name: 'Node', cell: ({ name }) => name },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Share', isNumber: true, cell: (node) => `${node.share_pct} %` },
  { name: 'GPUs', isNumber: true, cell: ({ gpus }) => count(gpus) },
  { name: 'Net of gross, 30 days', isNumber: true, cell: (node) => both(node.last_30d) },
  { name: 'Net of gross, in all', isNumber: true, cell: (node) => both(node.lifetime) },
];

const Portfolio = () => {
  const fields = () => ({ investor_id: investorAsked() ?? undefined, asOf: asOf.value });
  const dashboard = usePageRead(() => routeOf('/api/v1/investor/dashboard.php', fields()));
  const nodes = useRead(() => routeOf('/api/v1/investor/nodes.php', fields()));
  const investor = investorAsked();
  return (
    <>
      <Answered state={dashboard}>{(found) => <Facts facts={factsOf(found)} />}</Answered>
      <h2>Nodes</h2>
      <Answered state={nodes}>
        {(found) => (
          <Table label="Nodes" columns={COLUMNS} rows={found.nodes} keyOf={({ name }) => name} />
        )}
      </Answered>
      <p>
        <a data-page href={addressOf('/investments/revenue', investor ? { investor } : {})}>
          Revenue by day
        </a>
      </p>
    </>
  );
};

const InvestmentsPage = () => (
  <>
    <h1>Investments</h1>
    <ForInvestor ask={<Filters filters={[INVESTOR]} />}>
      <Portfolio />
    </ForInvestor>
  </>
);

export default InvestmentsPage;
