import { type FileStore } from '#areas/files/file-store.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/**
 * The content of a file of an account; null for a file that it does not have.
 * @param files absent in a process without the area
 */
export const readAccountFile = async (
  files: FileStore | undefined,
  accountId: string,
  fileId: string,
  bytesMax: number,
): Promise<Buffer | 'too_large' | null> => {
  if (!files) return null;
  try {
    const file = await files.find(fileId, { accountId });
    if (file.bytes > bytesMax) return 'too_large';
    return Buffer.concat(await Array.fromAsync(await files.open(file)));
  } catch (error) {
    if (error instanceof DomainError && error.code === 'file_not_found') return null;
    throw error;
  }
};
