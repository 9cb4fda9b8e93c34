import {
  FleetRigAssigned,
  FleetRigRemoved,
  PartnerMemberJoined,
  PartnerMemberLeft,
  PartnerProfileChanged,
  PartnerRegistered,
  RevenueShareChanged,
} from '#events/partners/partner.events.js';
import { type Branding, type PartnerId } from '#events/partners/partner.vocabulary.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface PartnerProfile {
  readonly partnerId: PartnerId;
  readonly slug: string;
  readonly name: string;
  readonly branding: Branding;
  readonly revenueShareBasisPoints: number;
  readonly revenueShareMaxBasisPoints: number;
  readonly registeredAt: string;
  readonly subUsers: number;
  readonly managers: number;
  readonly fleetRigs: readonly string[];
}

/** Null until the partner is registered. */
export interface PartnerDocument {
  readonly profile: PartnerProfile | null;
}

type Event =
  | PartnerRegistered
  | PartnerProfileChanged
  | RevenueShareChanged
  | PartnerMemberJoined
  | PartnerMemberLeft
  | FleetRigAssigned
  | FleetRigRemoved;

const ID_DIGITS = 16;

/** Keys order by id. */
export const partnerKey = (partnerId: number): string => String(partnerId).padStart(ID_DIGITS, '0');

const changed = (event: Exclude<Event, PartnerRegistered>, was: PartnerProfile): PartnerProfile => {
  const { type, data } = event;
  switch (type) {
    case 'PartnerProfileChanged':
      return { ...was, name: data.name, branding: data.branding };
    case 'RevenueShareChanged': {
      const { revenueShareBasisPoints, revenueShareMaxBasisPoints } = data;
      return { ...was, revenueShareBasisPoints, revenueShareMaxBasisPoints };
    }
    case 'PartnerMemberJoined':
      return withMembers(was, data.capacity, 1);
    case 'PartnerMemberLeft':
      return withMembers(was, data.capacity, -1);
    case 'FleetRigAssigned':
      return { ...was, fleetRigs: [...was.fleetRigs, data.rig].toSorted() };
    case 'FleetRigRemoved':
      return { ...was, fleetRigs: was.fleetRigs.filter((rig) => rig !== data.rig) };
  }
};

const withMembers = (
  was: PartnerProfile,
  capacity: PartnerMemberJoined['data']['capacity'],
  more: 1 | -1,
): PartnerProfile =>
  capacity === 'manager'
    ? { ...was, managers: was.managers + more }
    : { ...was, subUsers: was.subUsers + more };

const registered = ({ registrationId: _, ...data }: PartnerRegistered['data']): PartnerProfile => ({
  ...data,
  subUsers: 0,
  managers: 0,
  fleetRigs: [],
});

/** Who is a partner, on what terms, and with what? */
export const partners: Projection<Event, PartnerDocument> = {
  name: 'partners',
  version: 1,
  on: {
    PartnerRegistered,
    PartnerProfileChanged,
    RevenueShareChanged,
    PartnerMemberJoined,
    PartnerMemberLeft,
    FleetRigAssigned,
    FleetRigRemoved,
  },
  keys: ({ data }) => [partnerKey(data.partnerId)],
  initial: () => ({ profile: null }),
  project: (event, { profile }) => {
    if (event.type === 'PartnerRegistered') return { profile: registered(event.data) };
    return { profile: profile && changed(event, profile) };
  },
};
