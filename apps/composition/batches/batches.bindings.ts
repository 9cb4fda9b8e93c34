import { type Provider } from '@nestjs/common';
import { BatchFiles } from '#areas/batches/batch-files.port.js';
import { FileStore } from '#areas/files/file-store.js';
import { StoredBatchFiles } from './batch-files.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: BatchFiles,
    inject: [FileStore],
    useFactory: (files: FileStore) => new StoredBatchFiles(files),
  },
];
