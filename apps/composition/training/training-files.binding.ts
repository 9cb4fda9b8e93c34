import { type FileStore } from '#areas/files/file-store.js';
import { TrainingFiles } from '#areas/training/training-files.port.js';
import { readAccountFile } from '../account-file.js';

/** Training texts are files of their account. */
export class StoredTrainingFiles extends TrainingFiles {
  /** @param files absent in a process without the area */
  constructor(private readonly files: FileStore | undefined) {
    super();
  }

  override async read(accountId: string, fileId: string, bytesMax: number) {
    const read = await readAccountFile(this.files, accountId, fileId, bytesMax);
    return read === null || read === 'too_large' ? read : { text: read.toString('utf8') };
  }
}
