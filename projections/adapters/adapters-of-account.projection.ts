import {
  type AdapterEvent,
  AdapterRemoved,
  AdapterUploaded,
} from '#events/adapters/adapter.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** An uploaded adapter, as its account lists it. */
export type ListedAdapter = Omit<AdapterUploaded['data'], 'blob'>;

/** The prefix of the keys of an account; they order by slug. */
export const prefixOf = (accountId: string): string => `${accountId}/`;

const project = ({ type, data }: AdapterEvent): ListedAdapter | null => {
  switch (type) {
    case 'AdapterUploaded': {
      const { blob: _, ...listed } = data;
      return listed;
    }
    case 'AdapterRemoved':
      return null;
  }
};

/** Which adapters has an account uploaded? */
export const adaptersOfAccount: Projection<AdapterEvent, ListedAdapter> = {
  name: 'adapters-of-account',
  version: 1,
  on: { AdapterUploaded, AdapterRemoved },
  keys: ({ data }) => [`${prefixOf(data.accountId)}${data.slug}`],
  initial: () => ({
    adapterId: '',
    accountId: '',
    slug: '',
    userId: 0 as ListedAdapter['userId'],
    category: '',
    baseModel: '',
    baseSha256: '',
    rank: 1,
    alpha: 1,
    bytes: 1,
    sha256: '',
    uploadedAt: '',
  }),
  project,
};
