import { type ListAnswer, listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type Column } from '../shell/table.js';

interface Model {
  readonly id: string;
  readonly owned_by: string;
  readonly endpoints?: readonly string[];
}

interface Models extends ListAnswer {
  readonly data: readonly Model[];
}

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

export default listPage<Models, Model>({
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
