import {
  CleanroomCreated,
  ParticipantAdded,
  ParticipantRemoved,
  type Role,
} from '#events/cleanrooms/cleanroom.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface Membership {
  readonly cleanroomId: string;
  readonly isOwner: boolean;
  readonly roles: readonly Role[];
}

type Event = CleanroomCreated | ParticipantAdded | ParticipantRemoved;

const NUMBER_DIGITS = 16;

export const membershipsPrefix = (accountId: string): string => `${accountId}/`;

/** The rooms of an account order by their numbers. */
const membershipKey = ({ accountId, number, cleanroomId }: Event['data']): string =>
  `${membershipsPrefix(accountId)}${String(number).padStart(NUMBER_DIGITS, '0')}/${cleanroomId}`;

const joined = ({ type, data }: Event, membership: Membership): Membership => {
  switch (type) {
    case 'CleanroomCreated':
      return { ...membership, isOwner: true };
    case 'ParticipantAdded':
      return { ...membership, roles: [...membership.roles, data.role] };
    case 'ParticipantRemoved':
      return { ...membership, roles: membership.roles.filter((role) => role !== data.role) };
  }
};

/** Which rooms does an account see? */
export const cleanroomMembers: Projection<Event, Membership> = {
  name: 'cleanroom-members',
  version: 1,
  on: { CleanroomCreated, ParticipantAdded, ParticipantRemoved },
  keys: ({ data }) => [membershipKey(data)],
  initial: (key) => ({ cleanroomId: key.split('/').at(-1) ?? '', isOwner: false, roles: [] }),
  project: (event, membership) => {
    const after = joined(event, membership);
    return after.isOwner || after.roles.length > 0 ? after : null;
  },
};
