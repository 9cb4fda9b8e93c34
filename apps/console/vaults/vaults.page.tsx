import { instant } from '../shell/figures.js';
import { type ListAnswer, listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type Column } from '../shell/table.js';

interface Vault {
  readonly vault_uuid: string;
  readonly name: string | null;
  readonly model: string;
  readonly created_at: string;
}

interface Vaults extends ListAnswer {
  readonly vaults: readonly Vault[];
}

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

export default listPage<Vaults, Vault>({
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
