import { instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Vaults = AnswerOf<'/api/v1/vaults'>;
type Vault = Vaults['vaults'][number];

const COLUMNS: readonly Column<Vault>[] = [
  {
    name: 'Vault',
    cell: ({ vault_uuid: id, name }) => (
      <a data-page href={addressOf(`/vaults/${id}`)}>
        {name ?? id}
      </a>
    ),
  },
  { name: 'Model of embeddings', cell: ({ model }) => model },
  { name: 'Created, UTC', cell: (vault) => instant(vault.created_at) },
];

export default listPage({
  title: 'Vaults',
  route: '/api/v1/vaults',
  rowsOf: ({ vaults }) => vaults,
  keyOf: (vault) => vault.vault_uuid,
  columns: COLUMNS,
  empty: (
    <>
      You have no vault. <code>POST /api/v1/vaults</code> makes one for documents to be searched.
    </>
  ),
});
