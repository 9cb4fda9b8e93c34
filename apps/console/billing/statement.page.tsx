import { instant, usdOfMicro } from '../shell/figures.js';
import { Answered, usePageRead } from '../shell/answer.js';
import { routeOf } from '../shell/api.js';
import { Balance } from '../shell/balance.js';
import { type Fact, Facts } from '../shell/facts.js';
import { asOf } from '../shell/location.js';
import { type Column, Table } from '../shell/table.js';
import { type PageProps } from '../shell/page.js';

interface StatementLine {
  readonly day: string;
  readonly model: string | null;
  readonly purpose: string;
  readonly meter: string;
  readonly rate_card_version: number | null;
  readonly quantity: string;
  readonly unit_price_micro_usd: string;
  readonly per_units: number;
  readonly amount_micro_usd: string;
  readonly charges: number;
}

interface Statement {
  readonly position: string;
  readonly month: string;
  readonly status: string;
  readonly opening_micro_usd: string;
  readonly closing_micro_usd: string;
  readonly closed_at: string | null;
  readonly lines: readonly StatementLine[];
  readonly totals: {
    readonly deposited_micro_usd: string;
    readonly charged_micro_usd: string;
    readonly adjusted_micro_usd: string;
  };
}

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
  ['pdf', 'PDF'],
  ['csv', 'CSV'],
  ['zip', 'Archive with proofs'],
] as const;

const StatementPage = ({ parameters }: PageProps) => {
  const month = encodeURIComponent(parameters['month'] ?? '');
  const route = `/api/v1/billing/statements/${month}`;
  const state = usePageRead<Statement>(() => routeOf(route, { asOf: asOf.value }));
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
              {FILES.map(([extension, name]) => (
                <a key={extension} href={`${route}.${extension}`} download>
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
