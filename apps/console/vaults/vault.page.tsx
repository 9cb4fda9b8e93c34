import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { type Fact, Facts } from '../shell/facts.js';
import { bytes, count, instant } from '../shell/figures.js';
import { OfNow, Places } from '../shell/list.js';
import { query } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';

type FoundVault = AnswerOf<'/api/v1/vaults/{id}'>;
type VaultDocument = AnswerOf<'/api/v1/vaults/{id}/documents'>['documents'][number];

const factsOf = ({ vault }: FoundVault): readonly Fact[] => [
  ['Clearance', vault.clearance],
  ['Documents', count(vault.documents)],
  ['Chunks', count(vault.chunks)],
  ['Text', bytes(vault.text_bytes)],
  ['Sealed', bytes(vault.stored_bytes)],
  ['Key', `generation ${vault.key_generation}${vault.is_rotating ? ', being replaced' : ''}`],
  ['Model of embeddings', vault.model],
  ['Created, UTC', instant(vault.created_at)],
];

const COLUMNS: readonly Column<VaultDocument>[] = [
  { name: 'Ingested, UTC', cell: (document) => instant(document.ingested_at) },
  { name: 'Title', cell: (document) => document.document_title },
  { name: 'Marking', cell: (document) => document.classification_marking },
  { name: 'Chunks', isNumber: true, cell: ({ chunks }) => count(chunks) },
  { name: 'Text', isNumber: true, cell: (document) => bytes(document.text_bytes) },
];

const VaultPage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const state = usePageRead(() => routeOf('/api/v1/vaults/{id}', { id }));
  const documents = useRead(() =>
    routeOf('/api/v1/vaults/{id}/documents', { id, page: query.value.get('page') }),
  );
  return (
    <>
      <h1>Vault</h1>
      <OfNow />
      <Answered state={state}>
        {(found) => (
          <>
            <h2>{found.vault.name ?? parameters['id']}</h2>
            <Facts facts={factsOf(found)} />
          </>
        )}
      </Answered>
      <h2>Documents</h2>
      <Answered state={documents}>
        {(answer) =>
          answer.documents.length === 0 ? (
            <p>
              The vault is empty. <code>POST /api/v1/vault/vector.php</code> adds a document.
            </p>
          ) : (
            <>
              <Table
                label="Documents"
                columns={COLUMNS}
                rows={answer.documents}
                keyOf={(document) => document.document_id}
              />
              <Places answer={answer} isTimed={false} />
            </>
          )
        }
      </Answered>
    </>
  );
};

export default VaultPage;
