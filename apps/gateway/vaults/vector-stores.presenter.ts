import { type FoundChunk } from '#areas/vaults/vault-search.js';
import {
  type ShownDocument,
  type ShownVaultDetail,
  storeFileIdOf,
} from '#areas/vaults/vault.queries.js';
import {
  type VectorStoreDto,
  type VectorStoreFileContentDto,
  type VectorStoreFileDto,
  type VectorStoreResultsDto,
} from './vector-stores.dto.js';

const PREFIX = 'vs_';
const GROUPS = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** The id of the API for a UUID. */
export const prefixedId = (prefix: string, uuid: string): string =>
  `${prefix}${uuid.replaceAll('-', '')}`;

/** The UUID in an id of the API; an id of another form stays as it is. */
export const uuidOf = (prefix: string, id: string): string => {
  const lower = id.toLowerCase();
  if (!lower.startsWith(prefix)) return lower;
  return lower.slice(prefix.length).replace(GROUPS, '$1-$2-$3-$4-$5');
};

export const storeIdOf = (vaultId: string): string => prefixedId(PREFIX, vaultId);

/** An id that no vector store has is the id of no vault either. */
export const vaultIdOf = (storeId: string): string => uuidOf(PREFIX, storeId);

export const secondsOf = (at: string): number => Math.floor(Date.parse(at) / 1_000);

export const presentStore = (vault: ShownVaultDetail): VectorStoreDto => ({
  id: storeIdOf(vault.vaultId),
  object: 'vector_store',
  created_at: secondsOf(vault.createdAt),
  name: vault.name ?? '',
  usage_bytes: vault.storedBytes,
  file_counts: {
    ...{ in_progress: 0, completed: vault.documents, failed: 0, cancelled: 0 },
    total: vault.documents,
  },
  status: 'completed',
  last_active_at: null,
  metadata: vault.metadata,
});

export const presentStoreFile = (vaultId: string, document: ShownDocument): VectorStoreFileDto => {
  const { attributes, chunks } = document.label;
  return {
    id: storeFileIdOf(document),
    object: 'vector_store.file',
    usage_bytes: document.storedBytes,
    created_at: secondsOf(document.ingestedAt),
    vector_store_id: storeIdOf(vaultId),
    status: 'completed',
    last_error: null,
    chunking_strategy: chunks ? { type: 'static', static: chunks } : { type: 'other' },
    attributes,
  };
};

const textItem = (text: string) => ({ type: 'text', text }) as const;

export const presentStoreFileContent = (chunks: readonly string[]): VectorStoreFileContentDto => ({
  object: 'vector_store.file_content.page',
  data: chunks.map(textItem),
  has_more: false,
  next_page: null,
});

export const presentStoreResults = (
  query: string,
  found: readonly FoundChunk[],
): VectorStoreResultsDto => ({
  object: 'vector_store.search_results.page',
  search_query: [query],
  data: found.map((one) => ({
    file_id: storeFileIdOf(one),
    filename: one.title,
    score: one.score,
    attributes: one.attributes,
    content: [textItem(one.text)],
  })),
  has_more: false,
  next_page: null,
});
