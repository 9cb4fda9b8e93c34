import { fileEvents } from '#events/files/file.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { filesOfAccount } from '#projections/files/files-of-account.projection.js';
import { storedBytes } from '#projections/files/stored-bytes.projection.js';
import {
  ExpireFileCommand,
  ReleaseContentCommand,
  RetainContentCommand,
} from './file-content.handler.js';
import { fileContentSaga } from './file-content.saga.js';
import { fileErrors } from './files.errors.js';
import { FilesModule } from './files.module.js';
import { fileSettings } from './files.settings.js';

export const filesArea = defineArea({
  name: 'files',
  description: 'Files that an account uploads, and files that its batches write.',
  module: FilesModule,
  events: fileEvents,
  projections: [filesOfAccount, storedBytes],
  sagas: [
    deploySaga(fileContentSaga, {
      RetainContent: ({ fileId }, context) => new RetainContentCommand(fileId, context),
      ReleaseContent: ({ fileId }, context) => new ReleaseContentCommand(fileId, context),
      ExpireFile: ({ fileId }, context) => new ExpireFileCommand(fileId, context),
    }),
  ],
  errors: fileErrors,
  settings: [fileSettings],
});
