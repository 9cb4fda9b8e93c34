import { type FileBatch } from '#areas/vaults/file-batches.js';
import { type BatchFileDto, type FileBatchDto, type FileStatus } from './file-batches.dto.js';
import { type FileState } from './file-progress.js';
import { prefixedId, secondsOf, storeIdOf, uuidOf } from './vector-stores.presenter.js';

const PREFIX = 'vsfb_';

/** Failures of a file; all others are of the server. */
const OF_FILE: ReadonlySet<string> = new Set([
  ...['vector_store_file_unsuitable', 'vault_document_too_large', 'vault_text_empty'],
  ...['file_not_found', 'vault_file_exists'],
]);

/** An id that no batch has is the id of none. */
export const batchIdOf = (id: string): string => uuidOf(PREFIX, id);

export const presentBatch = (
  { batchId, vaultId, createdAt }: FileBatch,
  files: readonly FileState[],
): FileBatchDto => {
  const count = (status: FileStatus) => files.filter((file) => file.status === status).length;
  const file_counts = {
    in_progress: count('in_progress'),
    completed: count('completed'),
    failed: count('failed'),
    cancelled: count('cancelled'),
    total: files.length,
  };
  return {
    id: prefixedId(PREFIX, batchId),
    object: 'vector_store.files_batch',
    created_at: secondsOf(createdAt),
    vector_store_id: storeIdOf(vaultId),
    status: statusOf(file_counts),
    file_counts,
  };
};

const statusOf = (counts: Readonly<Record<FileStatus | 'total', number>>): FileStatus => {
  if (counts.in_progress > 0) return 'in_progress';
  if (counts.cancelled > 0) return 'cancelled';
  return counts.failed === counts.total ? 'failed' : 'completed';
};

/** @param bytes of the documents that the caller may see */
export const presentBatchFiles = (
  { vaultId, createdAt }: FileBatch,
  files: readonly FileState[],
  bytes: ReadonlyMap<string, number>,
): readonly BatchFileDto[] =>
  files.map(({ fileId, documentId, status, error }) => ({
    id: fileId,
    object: 'vector_store.file',
    usage_bytes: bytes.get(documentId ?? '') ?? 0,
    created_at: secondsOf(createdAt),
    vector_store_id: storeIdOf(vaultId),
    status,
    last_error: error && {
      code: OF_FILE.has(error.code) ? 'invalid_file' : 'server_error',
      message: `${error.code}: ${error.message}`,
    },
  }));
