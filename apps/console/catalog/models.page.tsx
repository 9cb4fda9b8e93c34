import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Models = AnswerOf<'/v1/models'>;
type Model = Models['data'][number];

/** Of a model without a list of its own. */
const CHATS = ['/v1/chat/completions'];

const COLUMNS: readonly Column<Model>[] = [
  { name: 'Model', cell: ({ id }) => <code>{id}</code> },
  { name: 'Of', cell: (model) => model.owned_by },
  { name: 'Routes', cell: ({ endpoints = CHATS }) => endpoints.join(', ') },
  {
    name: 'Your use',
    cell: ({ id }) => (
      <a data-page href={addressOf('/requests', { model: id })} aria-label={`Requests of ${id}`}>
        Requests
      </a>
    ),
  },
];

export default listPage({
  title: 'Models',
  route: '/v1/models',
  rowsOf: ({ data }) => data,
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  empty: (
    <>
      No model is in the catalog: the operator names it by <code>QUIPU_CATALOG</code>.
    </>
  ),
});
