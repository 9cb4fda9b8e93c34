import {
  NameAssigned,
  type NameEvent,
  type NameKind,
  NameReleased,
  NameReserved,
} from '#events/identity/name.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../identity.errors.js';

export type NameCommand =
  | { readonly type: 'ReserveName'; readonly data: NameReserved['data'] }
  | { readonly type: 'AssignName'; readonly data: NameAssigned['data'] }
  | { readonly type: 'ReleaseName'; readonly data: NameReleased['data'] };

export type NameState =
  | { readonly status: 'free' }
  | {
      readonly status: 'reserved';
      readonly registrationId: string;
      readonly reservedUntil: string;
    }
  | { readonly status: 'assigned'; readonly registrationId: string; readonly userId: UserId };

const taken = (kind: NameKind): never => {
  switch (kind) {
    case 'username':
      return reject('username_taken', 'the username is taken');
    case 'email':
      return reject('email_taken', 'the email address is taken');
    case 'openid':
      return reject('openid_taken', 'another request registers this subject; try again');
  }
};

const decide = ({ type, data }: NameCommand, state: NameState): readonly NameEvent[] => {
  const held = state.status !== 'free';
  const own = held && state.registrationId === data.registrationId;
  switch (type) {
    case 'ReserveName': {
      if (own) return [];
      const open = !held || (state.status === 'reserved' && state.reservedUntil < data.reservedAt);
      return open ? [NameReserved.of(data)] : taken(data.kind);
    }
    case 'AssignName':
      if (!own) return taken(data.kind);
      return state.status === 'assigned' ? [] : [NameAssigned.of(data)];
    case 'ReleaseName':
      return own ? [NameReleased.of(data)] : [];
  }
};

const evolve = (_: NameState, { type, data }: NameEvent): NameState => {
  switch (type) {
    case 'NameReserved': {
      const { registrationId, reservedUntil } = data;
      return { status: 'reserved', registrationId, reservedUntil };
    }
    case 'NameAssigned': {
      const { registrationId, userId } = data;
      return { status: 'assigned', registrationId, userId };
    }
    case 'NameReleased':
      return { status: 'free' };
  }
};

/** Keeps a name unique. A name is free, then reserved, then assigned, and may be released. */
export const nameDecider: Decider<NameCommand, NameState, NameEvent> = {
  initialState: { status: 'free' },
  decide,
  evolve,
};
