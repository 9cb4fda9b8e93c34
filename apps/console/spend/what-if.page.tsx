import { Answered, usePageRead } from '../shell/answer.js';
import { monthStart, today } from '../shell/days.js';
import { type Fact, Facts } from '../shell/facts.js';
import { count, usd } from '../shell/figures.js';
import { type Filter, filtered, Filters } from '../shell/filters.js';
import { addressOf, asOf } from '../shell/location.js';
import { type AnswerOf, type QueryOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';

type WhatIf = AnswerOf<'/api/v1/spend/what_if'>;
type RepricedLine = WhatIf['lines'][number];

const FILTERS: readonly Filter<QueryOf<'/api/v1/spend/what_if'>>[] = [
  { name: 'from', label: 'From, UTC', type: 'date', initial: monthStart() },
  { name: 'to', label: 'To, UTC', type: 'date', initial: today() },
  { name: 'card', field: 'rate_card', label: 'At the prices of rate card' },
  { name: 'rig', label: 'Rentals at the price of rig' },
];

const factsOf = (found: WhatIf): readonly Fact[] => [
  ['Charged, before corrections', usd(found.charged_usd)],
  ['At the other prices', usd(found.repriced_usd)],
  ['Difference', usd(found.difference_usd)],
  ['Charges', count(found.charges)],
  ['Charges without a price there', count(found.unpriced_charges)],
  [
    'Rate card',
    <a key="card" data-page href={addressOf('/prices', { version: String(found.rate_card) })}>
      {found.rate_card}
    </a>,
  ],
];

const unitPrice = (price: string, per: number): string => `${usd(price)} for ${count(per)}`;

const COLUMNS: readonly Column<RepricedLine>[] = [
  { name: 'Product', cell: ({ purpose }) => purpose },
  { name: 'Model', cell: ({ model }) => model ?? '–' },
  { name: 'Meter', cell: ({ meter }) => meter },
  { name: 'Units', isNumber: true, cell: ({ quantity }) => count(Number(quantity)) },
  { name: 'Price', isNumber: true, cell: (line) => unitPrice(line.from_usd, line.from_per) },
  { name: 'Other price', isNumber: true, cell: (line) => unitPrice(line.to_usd, line.to_per) },
  { name: 'Difference', isNumber: true, cell: (line) => usd(line.difference_usd) },
];

const WhatIfPage = () => {
  const state = usePageRead(() =>
    routeOf('/api/v1/spend/what_if', { ...filtered(FILTERS), asOf: asOf.value }),
  );
  return (
    <>
      <h1>What if</h1>
      <Filters filters={FILTERS} />
      <p class="quiet">
        The charges of these days at other prices; nothing is written. Without a number the page
        takes the newest rate card. A model has one price, whatever rig answers; a rental has the
        price of its rig.
      </p>
      <Answered state={state}>
        {(found) =>
          found.charges === 0 ? (
            <p>
              No charge in these days. Choose others, or make one by a request to{' '}
              <code>/v1/chat/completions</code>.
            </p>
          ) : (
            <>
              <Facts facts={factsOf(found)} />
              {found.lines.length === 0 ? (
                <p>
                  No price of these charges differs. Name another{' '}
                  <a data-page href={addressOf('/prices')}>
                    rate card
                  </a>
                  , or a rig with an hourly price.
                </p>
              ) : (
                <Table
                  label="Prices that differ"
                  columns={COLUMNS}
                  rows={found.lines}
                  keyOf={(line) => JSON.stringify(line)}
                />
              )}
            </>
          )
        }
      </Answered>
    </>
  );
};

export default WhatIfPage;
