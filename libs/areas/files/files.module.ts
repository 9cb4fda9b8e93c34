import { Module } from '@nestjs/common';
import {
  ExpireFileHandler,
  ReleaseContentHandler,
  RetainContentHandler,
} from './file-content.handler.js';
import { FileStorage } from './file-storage.js';
import { FileStore } from './file-store.js';
import { ListFilesHandler } from './list-files.handler.js';
import { StoredFiles } from './stored-files.js';
import { UploadFileHandler } from './upload-file.handler.js';

@Module({
  providers: [
    StoredFiles,
    { provide: FileStore, useExisting: StoredFiles },
    FileStorage,
    UploadFileHandler,
    ListFilesHandler,
    RetainContentHandler,
    ReleaseContentHandler,
    ExpireFileHandler,
  ],
  exports: [FileStore, FileStorage],
})
export class FilesModule {}
