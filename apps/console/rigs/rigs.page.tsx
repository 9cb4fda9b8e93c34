import { orDash } from '../shell/facts.js';
import { count } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Rig = AnswerOf<'/api/v1/rigs'>['rigs'][number];

const firstTokens = ({ first_token_ms: times }: Rig): string =>
  Object.entries(times)
    .map(([model, ms]) => `${model}: ${count(ms)}`)
    .join(', ');

const COLUMNS: readonly Column<Rig>[] = [
  {
    name: 'Rig',
    cell: ({ id, name }) => (
      <a data-page href={addressOf(`/rigs/${id}`)}>
        {name}
      </a>
    ),
  },
  { name: 'Kind', cell: ({ kind, source }) => `${kind}, from the ${source}` },
  {
    name: 'State',
    cell: ({ state }) => <span class={state === 'up' ? 'success' : 'failure'}>{state}</span>,
  },
  { name: 'Region', cell: ({ region }) => region ?? '–' },
  { name: 'Models', cell: ({ models }) => models.join(', ') },
  {
    name: 'In flight',
    isNumber: true,
    cell: ({ in_flight: now, max_concurrency: most }) => `${now ?? '–'} of ${most ?? '–'}`,
  },
  { name: 'First token, ms', cell: (rig) => firstTokens(rig) || '–' },
  { name: 'Tasks per second', isNumber: true, cell: (rig) => orDash(rig.tasks_per_second, count) },
  { name: 'Certified', cell: ({ badge, status }) => `${badge ?? 'no badge'}, ${status}` },
];

export default listPage({
  title: 'Rigs',
  route: '/api/v1/rigs',
  rowsOf: ({ rigs }) => rigs,
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  empty: (
    <>
      There is no rig. Name one in the catalog, or start a worker with{' '}
      <code>npm run start:worker</code>.
    </>
  ),
});
