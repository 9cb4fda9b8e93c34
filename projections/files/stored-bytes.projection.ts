import { FileCreated, FileDeleted, type FileEvent } from '#events/files/file.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface StoredBytes {
  readonly files: number;
  readonly bytes: number;
  /** The UTC day of the last creation, `YYYY-MM-DD`. */
  readonly day: string;
  /** Of the files that were created on that day, deleted ones too. */
  readonly bytesOfDay: number;
}

const created = (document: StoredBytes, { bytes, createdAt }: FileCreated['data']): StoredBytes => {
  const day = createdAt.slice(0, 10);
  const before = day === document.day ? document.bytesOfDay : 0;
  return {
    files: document.files + 1,
    bytes: document.bytes + bytes,
    day,
    bytesOfDay: before + bytes,
  };
};

/** How much do the files of an account take, and how much has it stored on its last day? */
export const storedBytes: Projection<FileEvent, StoredBytes> = {
  name: 'stored-bytes',
  version: 1,
  on: { FileCreated, FileDeleted },
  keys: ({ data: { accountId } }) => [accountId],
  initial: () => ({ files: 0, bytes: 0, day: '', bytesOfDay: 0 }),
  project: ({ type, data }, document) => {
    switch (type) {
      case 'FileCreated':
        return created(document, data);
      case 'FileDeleted':
        return { ...document, files: document.files - 1, bytes: document.bytes - data.bytes };
    }
  },
};
