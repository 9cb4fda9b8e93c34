import { type ComponentChildren } from 'preact';
import { Balance, type BalanceProps } from '../shell/balance.js';
import { useMemo } from 'preact/hooks';
import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { count, instant, usd } from '../shell/figures.js';
import { ledger, useRefreshAfter } from '../shell/live.js';
import { addressOf, asOf } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { Sparkline } from '../shell/sparkline.js';
import { type Column, Table } from '../shell/table.js';
import { TimeSeries } from '../shell/time-series.js';
import { dailySpend, lastDays, type SpendAnswer } from './daily-spend.js';

type Overview = AnswerOf<'/api/v1/billing/overview.php'>;
type Hold = AnswerOf<'/api/v1/billing/holds'>['holds'][number];

const HOURS_SHOWN_MAX = 72;
/** Null: no charge in the last 24 hours, so the gateway knows no end. */
const runwayOf = ({ runway_hours: hours, runway_days: days }: Overview['telemetry']): string => {
  if (hours === null || days === null) return 'no charge in 24 hours';
  return hours < HOURS_SHOWN_MAX ? `${count(hours)} hours` : `${count(days)} days`;
};

interface Figure {
  readonly id: string;
  readonly name: string;
  readonly value: ComponentChildren;
  /** The page with the records or events that the figure is made of. Null: the holds below. */
  readonly page: string | null;
  readonly filters?: Readonly<Record<string, string>>;
}

const CHARGED = { status: 'charged' };

const figuresOf = (overview: Overview): readonly Figure[] => {
  const { telemetry, position } = overview;
  const balance = (sum: BalanceProps['sum'], amount: number) => (
    <Balance {...{ sum, amount, position }} />
  );
  const requests = { page: '/requests', filters: CHARGED };
  return [
    {
      ...{ id: 'balance', name: 'Balance', page: '/invoices' },
      value: balance('balance', overview.balance_usd),
    },
    {
      ...{ id: 'available', name: 'Available', page: '/invoices' },
      value: balance('available', overview.available_usd),
    },
    {
      ...{ id: 'held', name: 'Held by running work', page: null },
      value: balance('held', overview.held_usd),
    },
    {
      ...{ id: 'burn', name: 'Burn per hour, of a day', ...requests },
      value: usd(telemetry.burn_rate_per_hour),
    },
    { id: 'runway', name: 'Runway', value: runwayOf(telemetry), ...requests },
    {
      ...{ id: 'active', name: 'Running work with a hold', page: null },
      value: count(telemetry.active_compute_jobs),
    },
    {
      ...{ id: 'inference', name: 'Charged for inference', ...requests },
      value: usd(telemetry.total_inference_spend),
    },
    {
      ...{ id: 'compute', name: 'Charged for compute', ...requests },
      value: usd(telemetry.total_compute_spend),
    },
    {
      ...{ id: 'deposited', name: 'Deposited', page: '/invoices' },
      value: balance('deposited', telemetry.lifetime_deposited),
    },
  ];
};

const COLUMNS: readonly Column<Hold>[] = [
  { name: 'Since, UTC', cell: ({ placed_at: at }) => instant(at) },
  { name: 'Work', cell: ({ id }) => id },
  { name: 'Product', cell: ({ product }) => product },
  { name: 'Model', cell: ({ model }) => model ?? '–' },
  { name: 'Until, UTC', cell: ({ expires_at: at }) => instant(at) },
  { name: 'Held', isNumber: true, cell: (hold) => usd(hold.held_usd) },
];

const Holds = () => {
  const state = useRead(() => (asOf.value ? null : routeOf('/api/v1/billing/holds')));
  if (asOf.value !== undefined) {
    return <p class="quiet">Open holds are listed for the present alone.</p>;
  }
  return (
    <Answered state={state}>
      {({ holds, total }) =>
        total === 0 ? (
          <p>No work is running: a request holds its highest price until it ends.</p>
        ) : (
          <>
            <Table label="Open holds" columns={COLUMNS} rows={holds} keyOf={({ id }) => id} />
            {total > holds.length && <p>These are the oldest of {count(total)}.</p>}
          </>
        )
      }
    </Answered>
  );
};

const Spend = (answer: SpendAnswer) => {
  const days = useMemo(() => dailySpend(answer), [answer]);
  const series = useMemo(
    () => [{ name: 'Charged per day, less corrections', values: days.map(({ value }) => value) }],
    [days],
  );
  const at = useMemo(() => days.map(({ day }) => Date.parse(day)), [days]);
  const label = `Charges of each day from ${answer.from} to ${answer.to}, in UTC`;
  return (
    <>
      <p>
        <Sparkline label={label} values={days.map(({ value }) => value)} />
        {` ${usd(answer.total_usd)} in ${days.length} days`}
      </p>
      <TimeSeries label={label} at={at} series={series} format={usd} />
    </>
  );
};

const HomePage = () => {
  useRefreshAfter(() => (asOf.value === undefined ? ledger.value.latest : null));
  const overview = usePageRead(() => routeOf('/api/v1/billing/overview.php', { asOf: asOf.value }));
  const spend = useRead(() =>
    routeOf('/api/v1/spend', { ...lastDays(), by: 'day', asOf: asOf.value }),
  );
  return (
    <>
      <h1>Home</h1>
      <Answered state={overview}>
        {(found) => (
          <dl class="figures">
            {figuresOf(found).map(({ id, name, value, page, filters }) => (
              <div key={id}>
                <dt>
                  {page === null ? (
                    <a href="#holds">{name}</a>
                  ) : (
                    <a data-page href={addressOf(page, filters)}>
                      {name}
                    </a>
                  )}
                </dt>
                <dd id={id}>{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </Answered>
      <h2 id="holds">Open holds</h2>
      <Holds />
      <h2>Charges</h2>
      <Answered state={spend}>{(found) => <Spend {...found} />}</Answered>
    </>
  );
};

export default HomePage;
