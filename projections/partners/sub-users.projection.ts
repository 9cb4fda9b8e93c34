import { PartnerMemberJoined, PartnerMemberLeft } from '#events/partners/partner.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Projection } from '#platform/kernel/projection.js';
import { partnerKey } from './partners.projection.js';

export interface SubUser {
  readonly userId: UserId;
  readonly accountId: string;
  /** The first time. */
  readonly joinedAt: string;
  /** Null for a sub-user of now. */
  readonly leftAt: string | null;
}

type Event = PartnerMemberJoined | PartnerMemberLeft;

const USER_DIGITS = 16;

/** Keys of one partner order by the ids of users. */
const keyOf = ({ partnerId, userId }: Event['data']): string =>
  `${partnerKey(partnerId)}/${String(userId).padStart(USER_DIGITS, '0')}`;

/** Null until the user joined. */
export interface SubUserDocument {
  readonly subUser: SubUser | null;
}

const joinedAt = ({ type, data }: Event, was: SubUser | null): string =>
  was?.joinedAt ?? (type === 'PartnerMemberJoined' ? data.joinedAt : data.leftAt);

/** Who is or was a sub-user of a partner? */
export const subUsers: Projection<Event, SubUserDocument> = {
  name: 'partner-sub-users',
  version: 1,
  on: { PartnerMemberJoined, PartnerMemberLeft },
  keys: ({ data }) => (data.capacity === 'sub_user' ? [keyOf(data)] : []),
  initial: () => ({ subUser: null }),
  project: (event, { subUser: was }) => {
    const { userId, accountId } = event.data;
    const leftAt = event.type === 'PartnerMemberLeft' ? event.data.leftAt : null;
    return { subUser: { userId, accountId, joinedAt: joinedAt(event, was), leftAt } };
  },
};
