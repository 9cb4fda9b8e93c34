import { type Signal, useSignal } from '@preact/signals';
import { Facts, orDash } from '../shell/facts.js';
import { count, instant, usd } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { textIn, WriteDialog, WriteForm } from '../shell/write-form.js';
import { type Proposal, type ProposedPrice, proposedPrices } from './proposal.js';

type RateCard = AnswerOf<'/api/v1/rate_cards'>['rate_cards'][number];

/** A list and the difference that it makes. */
interface Shown {
  readonly list: string;
  readonly provider: string;
  readonly proposal: Proposal;
}

const PRICES: readonly Column<ProposedPrice>[] = [
  { name: 'Model', cell: ({ model }) => model },
  { name: 'Price', cell: ({ price }) => price },
  { name: 'In the catalog', isNumber: true, cell: ({ from }) => orDash(from, usd) },
  { name: 'In the list', isNumber: true, cell: ({ to }) => orDash(to, usd) },
  { name: 'Note', cell: ({ note }) => note },
];

const bodyOf = ({ list, provider }: Omit<Shown, 'proposal'>) => ({
  list,
  ...(provider !== '' && { provider }),
});

const Difference = ({ shown }: { readonly shown: Signal<Shown | null> }) => {
  const now = shown.value;
  if (!now) return null;
  const { proposal } = now;
  return (
    <section aria-label="The proposal">
      <Facts
        facts={[
          ['Format', proposal.format],
          ['SHA-256 of the list', <code key="list">{proposal.sha256}</code>],
          ['SHA-256 of the catalog', <code key="catalog">{proposal.catalog_sha256}</code>],
        ]}
      />
      <Table
        label="Proposed prices"
        columns={PRICES}
        rows={proposedPrices(proposal)}
        keyOf={({ model, price }) => `${model} ${price}`}
      />
      {!proposal.is_changed && <p>The catalog has every price of the list that it can have.</p>}
      <p class="buttons">
        {proposal.is_changed && (
          <WriteDialog
            opens="Accept"
            label="Publish these prices"
            route={routeOf('/api/v1/price_proposals/publish')}
            explains="They become the next rate card, and the catalog file is rewritten."
            bodyOf={() => ({ ...bodyOf(now), catalog_sha256: proposal.catalog_sha256 })}
          />
        )}
        <button type="button" onClick={() => (shown.value = null)}>
          Reject
        </button>
      </p>
      <p class="quiet">A proposal that is rejected leaves no trace: nothing was written for it.</p>
    </section>
  );
};

const Propose = () => {
  const list = useSignal('');
  const shown = useSignal<Shown | null>(null);
  const provider = useSignal('');
  return (
    <>
      <h2>Propose prices</h2>
      <WriteForm
        label="Show the difference"
        route={routeOf('/api/v1/price_proposals')}
        isRecorded={false}
        keepsFields
        bodyOf={(form) => {
          if (list.value === '') throw new Error('Choose a file that has a price list.');
          provider.value = textIn(form, 'provider');
          return bodyOf({ list: list.value, provider: provider.value });
        }}
        onDone={(proposal) => {
          shown.value = { list: list.value, provider: provider.value, proposal };
        }}
      >
        <label>
          Price list of models.dev, OpenRouter or LiteLLM
          <input
            type="file"
            name="file"
            accept=".json,application/json"
            required
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              list.value = '';
              void file?.text().then((text) => (list.value = text));
            }}
          />
        </label>
        <label>
          Only the rows of a provider
          <input name="provider" maxLength={128} />
        </label>
      </WriteForm>
      <Difference shown={shown} />
      <h2>Rate cards</h2>
    </>
  );
};

const COLUMNS: readonly Column<RateCard>[] = [
  {
    name: 'Rate card',
    isNumber: true,
    cell: ({ version }) => (
      <a data-page href={addressOf('/prices', { version: String(version) })}>
        {version}
      </a>
    ),
  },
  { name: 'In force from, UTC', cell: (card) => instant(card.effective_from) },
  { name: 'Models', isNumber: true, cell: ({ models }) => count(models) },
  {
    name: 'Prices from',
    cell: ({ proposed_from: from }) =>
      from === null ? (
        'the catalog file'
      ) : (
        <>
          a proposal: {from.format}, <code>{from.sha256.slice(0, 16)}</code>
        </>
      ),
  },
  {
    name: 'Difference',
    cell: ({ version }) =>
      version === 1 ? (
        'the first one'
      ) : (
        <a
          data-page
          href={addressOf('/prices', { version: String(version), other: String(version - 1) })}
        >
          beside card {version - 1}
        </a>
      ),
  },
];

export default listPage({
  title: 'Price proposals',
  route: '/api/v1/rate_cards',
  isTimed: true,
  rowsOf: ({ rate_cards: cards }) => cards,
  keyOf: ({ version }) => version,
  columns: COLUMNS,
  empty: 'No rate card at this position. A gateway publishes the first one when it starts.',
  above: () => <Propose />,
});
