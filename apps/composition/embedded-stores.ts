import path from 'node:path';
import { FILE_OF, type StoreFiles } from '#platform/backup/backup.format.js';
import { type Settings, withoutSecrets } from './settings.js';

/** A store that its server's own tools back up. */
export interface ServedStore {
  /** The name of the store in it. */
  readonly store: string;
  readonly url: string;
}

/** The files of the stores on this machine, as `engines.ts` opens them. */
export const embeddedStoresOf = ({ home, eventStore, readStore }: Settings): StoreFiles => {
  const beside = (store: 'checkpoints' | 'answers' | 'subjectKeys'): string =>
    path.join(home, FILE_OF[store]);
  return {
    ...(eventStore.kind === 'sqlite' && { log: eventStore.file }),
    ...(readStore.kind === 'sqlite' && {
      readModels: readStore.file,
      checkpoints: beside('checkpoints'),
      answers: beside('answers'),
      subjectKeys: beside('subjectKeys'),
    }),
  };
};

/** In the order in which they are to be backed up: keys after the log. */
export const servedStoresOf = ({ eventStore, readStore }: Settings): readonly ServedStore[] => [
  ...(eventStore.kind === 'sqlite'
    ? []
    : [{ store: 'the event log', url: withoutSecrets(eventStore.url) }]),
  ...(readStore.kind === 'sqlite'
    ? []
    : [
        {
          store: 'the keys of subjects, the published checkpoint, stored answers and read models',
          url: withoutSecrets(readStore.url),
        },
      ]),
];
