import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { Bar } from '../shell/charts.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { instant, usd } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { asOf } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { textIn, WriteDialog } from '../shell/write-form.js';

type Budgets = AnswerOf<'/api/v1/budgets'>;
type Alerts = AnswerOf<'/api/v1/alerts'>;
type Budget = Budgets['budgets'][number];
type Limit = NonNullable<Budget['day']>;

interface BudgetRow extends Limit {
  readonly name: string;
  readonly alertPercents: readonly number[];
}

const nameOf = ({ scope, key_id: key, user, tag, owner }: Budget): string =>
  `${scope === 'account' ? scope : `${scope} ${key ?? user ?? tag ?? ''}`}, set by the ${owner}`;

const rowsOf = (budgets: readonly Budget[]): readonly BudgetRow[] =>
  budgets.flatMap((budget) => {
    const { day, week, month, total } = budget;
    const limits = [day, week, month, total].filter((limit) => limit !== null);
    const alertPercents = budget.alert_percents;
    return limits.map((limit) => ({ ...limit, name: nameOf(budget), alertPercents }));
  });

const MONTH = /^\d{4}-\d{2}$/;

/** The days until the limit of a month, if each is as the days of the month so far. */
const endOf = ({ charged_usd: charged, remaining_usd: left, period }: BudgetRow): string => {
  if (left <= 0) return 'has stopped';
  if (charged <= 0 || !MONTH.test(period)) return '–';
  const days = new Date().getUTCDate();
  return `in ${Math.floor((left / charged) * days)} days at this pace`;
};

const COLUMNS: readonly Column<BudgetRow>[] = [
  { name: 'Budget', cell: ({ name }) => name },
  { name: 'Period', cell: ({ period }) => period },
  { name: 'Charged', isNumber: true, cell: (row) => usd(row.charged_usd) },
  { name: 'Held', isNumber: true, cell: (row) => usd(row.held_usd) },
  { name: 'Limit', isNumber: true, cell: (row) => usd(row.limit_usd) },
  {
    name: 'Used',
    cell: (row) => <Bar share={(row.charged_usd + row.held_usd) / row.limit_usd} />,
  },
  { name: 'Resets, UTC', cell: (row) => orDash(row.resets_at, instant) },
  { name: 'Alerts at', cell: (row) => row.alertPercents.map((one) => `${one} %`).join(', ') },
  { name: 'Would stop', cell: endOf },
];

const below = (value: number | null, shown: (value: number) => string): string =>
  value === null ? 'off' : `below ${shown(value)}`;

const factsOf = (alerts: Alerts): readonly Fact[] => [
  ['Balance', below(alerts.balance_below_usd, usd)],
  ['Days of balance left', below(alerts.days_left_below, String)],
  ['Unusual spend', alerts.spend_anomaly ? 'on' : 'off'],
  ['Key that ends', below(alerts.key_ends_within_days, (days) => `${days} days`)],
  ['Rig that is down', alerts.rig_down ? 'on' : 'off'],
];

/** An empty field is no limit. */
const amountIn = (form: FormData, name: string): number | null => {
  const text = textIn(form, name);
  return text === '' ? null : Number(text);
};

const SetBudget = () => (
  <WriteDialog
    opens="Set the budget of the account"
    explains="Work that would cost more is rejected before it runs. An empty field is no limit."
    label="Set"
    method="PUT"
    route={routeOf('/api/v1/budgets/account')}
    bodyOf={(form) => ({
      usd_per_day: amountIn(form, 'day'),
      usd_per_week: amountIn(form, 'week'),
      usd_per_month: amountIn(form, 'month'),
      usd_in_total: amountIn(form, 'total'),
    })}
  >
    <label>
      Dollars of a day
      <input name="day" type="number" min="0" step="any" />
    </label>
    <label>
      Dollars of a week
      <input name="week" type="number" min="0" step="any" />
    </label>
    <label>
      Dollars of a month
      <input name="month" type="number" min="0" step="any" />
    </label>
    <label>
      Dollars in total
      <input name="total" type="number" min="0" step="any" />
    </label>
  </WriteDialog>
);

const BudgetsPage = () => {
  const state = usePageRead(() => routeOf('/api/v1/budgets'));
  const alerts = useRead(() => routeOf('/api/v1/alerts', { asOf: asOf.value }));
  return (
    <>
      <h1>Budgets and alerts</h1>
      <OfNow />
      <SetBudget />
      <Answered state={state}>
        {({ budgets }) =>
          budgets.length === 0 ? (
            <p>
              No budget limits your spend. <code>PUT /api/v1/budgets/account</code> sets one, with a
              key that may manage money.
            </p>
          ) : (
            <Table
              label="Budgets"
              columns={COLUMNS}
              rows={rowsOf(budgets)}
              keyOf={({ name, period }) => `${name} ${period}`}
            />
          )
        }
      </Answered>
      <h2>Alerts</h2>
      <Answered state={alerts}>
        {(found) => (
          <>
            <Facts facts={factsOf(found)} />
            <ul>
              {found.last_alerts.map(({ kind, raised_at: at }) => (
                <li key={kind}>
                  {kind.replaceAll('_', ' ')}, raised {instant(at)}
                </li>
              ))}
            </ul>
          </>
        )}
      </Answered>
    </>
  );
};

export default BudgetsPage;
