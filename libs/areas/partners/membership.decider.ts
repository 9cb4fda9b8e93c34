import {
  type MembershipEvent,
  PartnerMemberJoined,
  PartnerMemberLeft,
} from '#events/partners/partner.events.js';
import { type Capacity, type PartnerId } from '#events/partners/partner.vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from './partners.errors.js';

export type MembershipCommand =
  | { readonly type: 'JoinPartner'; readonly data: PartnerMemberJoined['data'] }
  | { readonly type: 'LeavePartner'; readonly data: PartnerMemberLeft['data'] };

export interface Membership {
  /** Null: of no partner. */
  readonly member: { readonly partnerId: PartnerId; readonly capacity: Capacity } | null;
}

const decide = (
  { type, data }: MembershipCommand,
  { member }: Membership,
): readonly MembershipEvent[] => {
  const isMember = member?.partnerId === data.partnerId && member.capacity === data.capacity;
  switch (type) {
    case 'JoinPartner':
      if (isMember) return [];
      if (member) reject('member_of_partner', `user ${data.userId} belongs to a partner already`);
      return [PartnerMemberJoined.of(data)];
    case 'LeavePartner':
      if (isMember) return [PartnerMemberLeft.of(data)];
      return reject('sub_user_not_found', `user ${data.userId} does not belong to the partner`);
  }
};

/** One user: of at most one partner, in one capacity. */
export const membershipDecider: Decider<MembershipCommand, Membership, MembershipEvent> = {
  initialState: { member: null },
  decide,
  evolve: (_, { type, data: { partnerId, capacity } }) => ({
    member: type === 'PartnerMemberJoined' ? { partnerId, capacity } : null,
  }),
};
