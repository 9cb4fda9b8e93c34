import { count, usd } from '../shell/figures.js';
import { Filters } from '../shell/filters.js';
import { listPage } from '../shell/list.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';
import { ForInvestor, INVESTOR, investorAsked } from './for-investor.js';

type RevenueDay = AnswerOf<'/api/v1/investor/revenue.php'>['revenue'][number];

const COLUMNS: readonly Column<RevenueDay>[] = [
  { name: 'Day, UTC', cell: ({ date }) => date },
  { name: 'Node', cell: ({ node }) => node },
  { name: 'Charges', isNumber: true, cell: ({ charges }) => count(charges) },
  { name: 'Gross', isNumber: true, cell: (day) => usd(day.gross_revenue_usd) },
  { name: 'Deductions', isNumber: true, cell: (day) => usd(day.deductions_usd) },
  { name: 'Net', isNumber: true, cell: (day) => usd(day.net_revenue_usd) },
];

const TITLE = 'Revenue of investments';

const List = listPage({
  title: TITLE,
  route: '/api/v1/investor/revenue.php',
  isTimed: true,
  filters: [INVESTOR],
  rowsOf: ({ revenue }) => revenue,
  keyOf: ({ date, node }) => `${date} ${node}`,
  columns: COLUMNS,
  empty: 'No node has earned yet: a charge for its work makes a day.',
});

const RevenuePageView = () => (
  <ForInvestor
    ask={
      <>
        <h1>{TITLE}</h1>
        <Filters filters={[INVESTOR]} />
      </>
    }
  >
    <List key={investorAsked()} />
  </ForInvestor>
);

export default RevenuePageView;
