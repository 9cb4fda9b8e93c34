import { type FileStore } from '#areas/files/file-store.js';
import { TrainingFiles } from '#areas/training/training-files.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/** Training texts are files of their account. */
export class StoredTrainingFiles extends TrainingFiles {
  /** @param files absent in a process without the area */
  constructor(private readonly files: FileStore | undefined) {
    super();
  }

  override async read(accountId: string, fileId: string, bytesMax: number) {
    if (!this.files) return null;
    try {
      const file = await this.files.find(fileId, { accountId });
      if (file.bytes > bytesMax) return 'too_large';
      const pieces = await Array.fromAsync(await this.files.open(file));
      return { text: Buffer.concat(pieces).toString('utf8') };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'file_not_found') return null;
      throw error;
    }
  }
}
