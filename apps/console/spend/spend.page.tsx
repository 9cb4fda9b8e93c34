import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { Bar } from '../shell/charts.js';
import { dayAfter, midnight, monthStart, today } from '../shell/days.js';
import { type Fact, Facts } from '../shell/facts.js';
import { usd, usdOfMicro } from '../shell/figures.js';
import { type Filter, Filters, valueOf } from '../shell/filters.js';
import { addressOf, asOf } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { cachedShareOf, type Pivot, type PivotRow, pivotOf } from './pivot.js';

type Spend = AnswerOf<'/api/v1/spend'>;

const GROUPS = ['day', 'model', 'key', 'class', 'product', 'rig', 'user', 'tags'];
const NOTHING = 'nothing';

const FROM: Filter = { name: 'from', label: 'From, UTC', type: 'date', initial: monthStart() };
const TO: Filter = { name: 'to', label: 'To, UTC', type: 'date', initial: today() };
const ROWS: Filter = { name: 'rows', label: 'Rows', choices: GROUPS, initial: 'day' };
const ACROSS: Filter = {
  name: 'columns',
  label: 'Columns',
  choices: [NOTHING, ...GROUPS],
  initial: NOTHING,
};
const TAG: Filter = { name: 'tag', label: 'Rows by the tag' };
const FILTERS = [FROM, TO, ROWS, ACROSS, TAG];

/** The groups of the rows and of the columns; the columns are empty where there are none. */
const groups = (): readonly [rows: string, columns: string] => {
  const tag = valueOf(TAG);
  const rows = tag === '' ? valueOf(ROWS) : `tag:${tag}`;
  const columns = valueOf(ACROSS);
  return [rows, columns === NOTHING || columns === rows ? '' : columns];
};

/** The filters of the list of requests that have a field for the group. */
const FILTERS_OF_REQUESTS = new Set(['model', 'rig', 'user']);

const requestsOf = (by: string, name: string): Readonly<Record<string, string>> | null => {
  if (by === 'day') return { from: midnight(name), to: midnight(dayAfter(name)) };
  const period = { from: midnight(valueOf(FROM)), to: midnight(dayAfter(valueOf(TO))) };
  if (FILTERS_OF_REQUESTS.has(by)) return { ...period, [by]: name };
  return by.startsWith('tag:') ? { ...period, tag: `${valueOf(TAG)}=${name}` } : null;
};

const Name = ({ by, name }: { readonly by: string; readonly name: string }) => {
  const isUsage = !name.includes('(none)') && !name.includes(', ');
  const fields = isUsage ? requestsOf(by, name) : null;
  if (!fields) return <>{name}</>;
  return (
    <a data-page href={addressOf('/requests', fields)}>
      {name}
    </a>
  );
};

const columnsOf = ({ columns, rows }: Pivot, by: string): readonly Column<PivotRow>[] => {
  const most = Math.max(...rows.map(({ total }) => Number(total)));
  return [
    { name: by, cell: ({ name }) => <Name by={by} name={name} /> },
    ...columns.map((column) => ({
      name: column,
      isNumber: true,
      cell: ({ cells }: PivotRow) => usdOfMicro(String(cells.get(column) ?? 0n)),
    })),
    { name: 'Amount', isNumber: true, cell: ({ total }) => usdOfMicro(String(total)) },
    { name: 'Share', cell: ({ total }) => <Bar share={most > 0 ? Number(total) / most : 0} /> },
  ];
};

const factsOf = ({ total_usd: total }: Spend, classes: Spend): readonly Fact[] => {
  const cached = cachedShareOf(classes.rows);
  const share = cached === null ? '–' : `${(cached * 100).toFixed(1)} %`;
  return [
    ['Charged, after corrections', usd(total)],
    ['Input tokens from a cache', share],
  ];
};

const SpendPage = () => {
  const fields = () => ({ from: valueOf(FROM), to: valueOf(TO), asOf: asOf.value });
  const by = () => groups().filter((group) => group !== '');
  const spend = usePageRead(() => routeOf('/api/v1/spend', { ...fields(), by: by().join(',') }));
  const classes = useRead(() => routeOf('/api/v1/spend', { ...fields(), by: 'class' }));
  const [rows, columns] = groups();
  return (
    <>
      <h1>Spend</h1>
      <Filters filters={FILTERS} />
      <Answered state={spend}>
        {(found) => {
          if (found.rows.length === 0) {
            return (
              <p>
                No charge in these days. A request to <code>/v1/chat/completions</code> makes one.
              </p>
            );
          }
          const pivot = pivotOf(found.rows, rows, columns);
          return (
            <>
              <Answered state={classes}>
                {(sums) => <Facts facts={factsOf(found, sums)} />}
              </Answered>
              <Table
                label={`Spend by ${rows}`}
                columns={columnsOf(pivot, rows)}
                rows={pivot.rows}
                keyOf={({ name }) => name}
              />
              <p class="pages">
                <a
                  download
                  href={routeOf('/api/v1/spend/report.csv', { ...fields(), by: by().join(',') })}
                >
                  CSV
                </a>
                <a
                  download
                  href={routeOf('/api/v1/spend/report.csv', { ...fields(), format: 'focus' })}
                >
                  CSV in FOCUS
                </a>
              </p>
            </>
          );
        }}
      </Answered>
    </>
  );
};

export default SpendPage;
