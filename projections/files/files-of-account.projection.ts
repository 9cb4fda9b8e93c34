import {
  FileCreated,
  FileDeleted,
  type FileEvent,
  type FilePurpose,
} from '#events/files/file.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface ListedFile {
  readonly fileId: string;
  readonly accountId: string;
  readonly userId: number;
  readonly purpose: FilePurpose;
  readonly sealedName: string;
  readonly bytes: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

/** A file as its account lists it: among all of its files, and among the files of its purpose. */
export interface ListKey {
  readonly accountId: string;
  readonly purpose: FilePurpose | null;
}

type Placed = Pick<FileCreated['data'], 'accountId' | 'purpose' | 'createdAt' | 'fileId'>;

/** The prefix of the keys of one list; they order by time. */
export const prefixOf = ({ accountId, purpose }: ListKey): string =>
  `${accountId}/${purpose ?? 'all'}/`;

export const keyIn = (list: ListKey, { createdAt, fileId }: Omit<Placed, keyof ListKey>): string =>
  `${prefixOf(list)}${createdAt}/${fileId}`;

const keys = ({ data }: FileEvent): readonly string[] => [
  keyIn({ accountId: data.accountId, purpose: null }, data),
  keyIn(data, data),
];

const project = ({ type, data }: FileEvent): ListedFile | null => {
  switch (type) {
    case 'FileCreated': {
      const { blob: _, ...listed } = data;
      return listed;
    }
    case 'FileDeleted':
      return null;
  }
};

/** Which files does an account have, in the order of their creation? */
export const filesOfAccount: Projection<FileEvent, ListedFile> = {
  name: 'files-of-account',
  version: 1,
  on: { FileCreated, FileDeleted },
  keys,
  initial: () => ({
    fileId: '',
    accountId: '',
    userId: 0,
    purpose: 'user_data',
    sealedName: '',
    bytes: 0,
    createdAt: '',
    expiresAt: null,
  }),
  project,
};
