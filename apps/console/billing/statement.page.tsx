import { instant, usdOfMicro } from '../shell/figures.js';
import { Answered, usePageRead } from '../shell/answer.js';
import { Balance } from '../shell/balance.js';
import { type Fact, Facts } from '../shell/facts.js';
import { asOf } from '../shell/location.js';
import { type Column, Table } from '../shell/table.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';

type Statement = AnswerOf<'/api/v1/billing/statements/{month}'>;
type StatementLine = Statement['lines'][number];

const sumOf = (lines: readonly StatementLine[]): bigint =>
  lines.reduce((sum, line) => sum + BigInt(line.amount_micro_usd), 0n);

/** Opening + deposits - charges + adjustments, and charges as the sum of the lines. */
const isConsistent = ({ lines, totals, ...balance }: Statement): boolean => {
  const charged = sumOf(lines);
  const closing =
    BigInt(balance.opening_micro_usd) +
    BigInt(totals.deposited_micro_usd) -
    charged +
    BigInt(totals.adjusted_micro_usd);
  return (
    charged === BigInt(totals.charged_micro_usd) && closing === BigInt(balance.closing_micro_usd)
  );
};

const Totals = (statement: Statement) => {
  const { totals, status, month, position, closed_at: closedAt } = statement;
  const amount = `${statement.closing_micro_usd}E-6`;
  const facts: readonly Fact[] = [
    ['Opening balance', usdOfMicro(statement.opening_micro_usd)],
    ['Deposits', usdOfMicro(totals.deposited_micro_usd)],
    ['Charges', usdOfMicro(totals.charged_micro_usd)],
    ['Adjustments', usdOfMicro(totals.adjusted_micro_usd)],
    [
      'Closing balance',
      <Balance key="closing" sum="closing" scope={month} {...{ position, amount }} />,
    ],
    ['Status', closedAt === null ? status : `${status}, ${instant(closedAt)} UTC`],
  ];
  return <Facts facts={facts} />;
};

const COLUMNS: readonly Column<StatementLine>[] = [
  { name: 'Day, UTC', cell: ({ day }) => day },
  { name: 'Product', cell: ({ purpose }) => purpose },
  { name: 'Model', cell: ({ model }) => model ?? '–' },
  { name: 'Meter', cell: ({ meter }) => meter },
  { name: 'Quantity', isNumber: true, cell: ({ quantity }) => quantity },
  {
    name: 'Price',
    isNumber: true,
    cell: (line) => `${usdOfMicro(line.unit_price_micro_usd)} for ${line.per_units}`,
  },
  { name: 'Rate card', cell: (line) => line.rate_card_version ?? '–' },
  { name: 'Amount', isNumber: true, cell: (line) => usdOfMicro(line.amount_micro_usd) },
];

const FILES = [
  ['/api/v1/billing/statements/{month}.pdf', 'PDF'],
  ['/api/v1/billing/statements/{month}.csv', 'CSV'],
  ['/api/v1/billing/statements/{month}.zip', 'Archive with proofs'],
] as const;

const StatementPage = ({ parameters }: PageProps) => {
  const month = parameters['month'] ?? '';
  const state = usePageRead(() =>
    routeOf('/api/v1/billing/statements/{month}', { month, asOf: asOf.value }),
  );
  return (
    <>
      <h1>Statement of {parameters['month']}</h1>
      <Answered state={state}>
        {(statement) => (
          <>
            <Totals {...statement} />
            <p id="check" class={isConsistent(statement) ? 'success' : 'failure'}>
              {isConsistent(statement)
                ? 'Added up in this browser: the lines sum to the charges, and the balances agree.'
                : 'The lines and balances of this statement do not agree.'}
            </p>
            <Table
              label="Lines of the statement"
              columns={COLUMNS}
              rows={statement.lines}
              keyOf={(line) => JSON.stringify(line)}
            />
            <p class="pages">
              {FILES.map(([route, name]) => (
                <a key={name} href={routeOf(route, { month })} download>
                  {name}
                </a>
              ))}
            </p>
          </>
        )}
      </Answered>
    </>
  );
};

export default StatementPage;
