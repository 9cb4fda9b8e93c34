import { Facts, orDash } from '../shell/facts.js';
import { instant, usd } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf, addressWith } from '../shell/location.js';
import { type Column, Table } from '../shell/table.js';
import { Breaker, percent, sinceOf } from './breaker.js';
import { type RankedRig, type RoutedRig, type Routing, type TokenCost } from './routing.js';

const MODELS_SHOWN_MAX = 100;

const RigLink = ({ rig }: { readonly rig: string }) => (
  <a data-page href={addressOf(`/rigs/${rig}`)}>
    {rig}
  </a>
);

const bothSides = ({ input_usd_per_mtok: input, output_usd_per_mtok: output }: TokenCost): string =>
  `${usd(input)} in, ${usd(output)} out`;

/** Smaller parts are noise, or decide among equals. */
const rounded = (part: number): string => String(Number(part.toFixed(3)));

const RANKED: readonly Column<RankedRig>[] = [
  { name: 'Rig', cell: ({ rig }) => <RigLink rig={rig} /> },
  { name: 'Now', cell: ({ absence }) => absence ?? 'would be asked' },
  { name: 'Score', isNumber: true, cell: ({ score }) => rounded(score) },
  { name: 'Load', isNumber: true, cell: ({ parts }) => rounded(parts.load) },
  { name: 'First token', isNumber: true, cell: ({ parts }) => rounded(parts.first_token) },
  { name: 'Errors', isNumber: true, cell: ({ parts }) => rounded(parts.errors) },
  { name: 'Breaker', isNumber: true, cell: ({ parts }) => rounded(parts.breaker) },
  { name: 'Region', isNumber: true, cell: ({ parts }) => rounded(parts.region) },
  { name: 'Price', isNumber: true, cell: ({ parts }) => rounded(parts.price) },
  { name: 'Weight', isNumber: true, cell: ({ weight }) => weight },
  { name: 'Costs for a million tokens', cell: ({ cost }) => orDash(cost, bothSides) },
];

const COLUMNS: readonly Column<RoutedRig>[] = [
  { name: 'Rig', cell: ({ rig }) => <RigLink rig={rig} /> },
  { name: 'Breaker', cell: (rig) => <Breaker rig={rig} /> },
  { name: 'Since, UTC', cell: sinceOf },
  { name: 'Next trial, UTC', cell: (rig) => orDash(rig.trial_at, instant) },
  { name: 'Failed lately', isNumber: true, cell: (rig) => percent(rig.error_rate) },
  { name: 'Last failure', cell: (rig) => rig.last_failure ?? '–' },
  {
    name: 'In flight',
    isNumber: true,
    cell: ({ in_flight: now, max_concurrency: most }) => `${now} of ${most}`,
  },
  { name: 'Region', cell: ({ region }) => region ?? '–' },
];

const Models = ({ models }: Routing) => (
  <p class="pages">
    <span>The rigs of a model, ranked:</span>
    {models.slice(0, MODELS_SHOWN_MAX).map((model) => (
      <a data-page key={model} href={addressWith({ model })}>
        {model}
      </a>
    ))}
  </p>
);

const Ranking = (routing: Routing) => {
  const { ranking } = routing;
  if (ranking === null) return <Models {...routing} />;
  return (
    <>
      <h2>
        Rigs of <code>{ranking.model}</code>
      </h2>
      <Facts facts={[['Price for a million tokens', bothSides(ranking.price)]]} />
      {ranking.rigs.length === 0 ? (
        <p>No rig serves it. Name the model at a rig of the catalog.</p>
      ) : (
        <Table label="Ranking" columns={RANKED} rows={ranking.rigs} keyOf={({ rig }) => rig} />
      )}
      <p class="quiet">
        A chat without wishes asks the rig with the lowest score, which is the sum of its parts.
        Equals are drawn by their weights. <a href="/docs">GET /api/v1/routing</a> has every digit.
      </p>
      <h2>Circuit breakers</h2>
    </>
  );
};

export default listPage({
  title: 'Routing',
  route: '/api/v1/routing',
  filters: [{ name: 'model', label: 'Model' }],
  rowsOf: ({ rigs }) => rigs,
  keyOf: ({ rig }) => rig,
  columns: COLUMNS,
  empty: 'This gateway asks no rig. Name one in the catalog.',
  above: (answer) => <Ranking {...answer} />,
});
