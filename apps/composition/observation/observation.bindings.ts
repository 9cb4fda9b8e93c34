import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { FileStore } from '#areas/files/file-store.js';
import { ObservationSources } from '#areas/observation/observation-sources.port.js';
import { FilesAndStations } from './observation-sources.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: ObservationSources,
    inject: [{ token: FileStore, optional: true }, QueryBus],
    useFactory: (files: FileStore | undefined, queries: QueryBus) =>
      new FilesAndStations(files, queries),
  },
];
