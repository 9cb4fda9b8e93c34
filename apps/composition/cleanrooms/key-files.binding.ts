import { type KeyFile, KeyFiles } from '#areas/cleanrooms/homomorphic/key-files.port.js';
import { type FileStore } from '#areas/files/file-store.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/** Evaluation keys are files of their account. */
export class StoredKeyFiles extends KeyFiles {
  constructor(private readonly files: Pick<FileStore, 'find' | 'open'>) {
    super();
  }

  override async find(accountId: string, fileId: string): Promise<KeyFile | undefined> {
    try {
      const file = await this.files.find(fileId, { accountId });
      const { blob, bytes, expiresAt } = file;
      return { address: blob.address, bytes, expiresAt, read: () => this.files.open(file) };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'file_not_found') return undefined;
      throw error;
    }
  }
}
