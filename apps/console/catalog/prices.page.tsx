import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { type Fact, Facts } from '../shell/facts.js';
import { instant, usd } from '../shell/figures.js';
import { type Filter, Filters, valueOf } from '../shell/filters.js';
import { asOf } from '../shell/location.js';
import { routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { type PriceRow, type Rates, rowsOf } from './price-rows.js';

const VERSION: Filter = { name: 'version', label: 'Rate card' };
const OTHER: Filter = { name: 'other', label: 'Beside it' };

const ratesOf = (version: string) =>
  routeOf('/api/v1/billing/rates.php', { version, asOf: asOf.value });

const factsOf = ({ rate_card: card }: Rates): readonly Fact[] => [
  ['Rate card', card.version],
  ['In force from, UTC', instant(card.effective_from)],
  ['Discount of batches', `${card.batch_discount_percent} %`],
  ['SHA-256 of its source', <code key="source">{card.source_sha256}</code>],
];

const shown = (amount: number | null): string => (amount === null ? '–' : usd(amount));

const changeOf = ({ price, other }: PriceRow): string => {
  if (price === other) return '';
  if (price === null) return 'only beside it';
  if (other === null) return 'only here';
  return price > other ? 'dearer here' : 'cheaper here';
};

const columnsOf = (card: Rates, beside: Rates | null): readonly Column<PriceRow>[] => [
  { name: 'Price of', cell: ({ name }) => name },
  { name: 'For', cell: ({ unit }) => unit },
  {
    name: `Card ${card.rate_card.version}`,
    isNumber: true,
    cell: ({ price }) => shown(price),
  },
  ...(beside === null
    ? []
    : [
        {
          name: `Card ${beside.rate_card.version}`,
          isNumber: true,
          cell: ({ other }: PriceRow) => shown(other),
        },
        { name: 'Difference', cell: changeOf },
      ]),
];

const Card = ({ card, beside }: { readonly card: Rates; readonly beside: Rates | null }) => (
  <>
    <Facts facts={factsOf(card)} />
    <Table
      label="Prices"
      columns={columnsOf(card, beside)}
      rows={rowsOf(card, beside)}
      keyOf={({ name, unit }) => `${name} ${unit}`}
    />
  </>
);

const Beside = ({ card }: { readonly card: Rates }) => {
  const other = useRead(() => ratesOf(valueOf(OTHER)));
  return <Answered state={other}>{(beside) => <Card card={card} beside={beside} />}</Answered>;
};

const PricesPage = () => {
  const card = usePageRead(() => ratesOf(valueOf(VERSION)));
  return (
    <>
      <h1>Prices</h1>
      <Filters filters={[VERSION, OTHER]} />
      <p class="quiet">
        The number of a rate card is on each line of a statement. Without a number the page shows
        the newest one.
      </p>
      <Answered state={card}>
        {(found) =>
          valueOf(OTHER) === '' ? <Card card={found} beside={null} /> : <Beside card={found} />
        }
      </Answered>
    </>
  );
};

export default PricesPage;
