import { NameAssigned, NameReleased } from '#events/identity/name.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface UserOfName {
  readonly userId: number;
}

type NameEvent = NameAssigned | NameReleased;

const project = ({ type, data }: NameEvent): UserOfName | null => {
  switch (type) {
    case 'NameAssigned':
      return { userId: data.userId };
    case 'NameReleased':
      return null;
  }
};

/** The user of a username, by the name's keyed hash. */
export const usersByName: Projection<NameEvent, UserOfName> = {
  name: 'users-by-name',
  version: 1,
  on: { NameAssigned, NameReleased },
  keys: ({ data }) => (data.kind === 'username' ? [data.nameHash] : []),
  initial: () => ({ userId: 0 }),
  project,
};
