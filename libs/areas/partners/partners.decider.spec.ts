import { describe, it } from '@jest/globals';
import {
  FleetRigAssigned,
  FleetRigRemoved,
  PartnerMemberJoined,
  PartnerMemberLeft,
  PartnerNumbered,
  PartnerProfileChanged,
  PartnerRegistered,
  RevenueShareChanged,
} from '#events/partners/partner.events.js';
import { PartnerId } from '#events/partners/partner.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { fleetDecider } from './fleet.decider.js';
import { membershipDecider } from './membership.decider.js';
import { partnerNumbersDecider } from './partner-numbers.decider.js';
import { partnerDecider } from './partner.decider.js';

const AT = '2026-11-22T05:00:00.000Z';
const LATER = '2026-11-22T06:00:00.000Z';
const ANDES = PartnerId.parse(1);
const COAST = PartnerId.parse(2);

const branding = {
  primaryColor: '#7a3e1d',
  accentColor: '#c9a227',
  bodyBgColor: '#ffffff',
  cardBgColor: '#f5f0e8',
};

const registration = {
  partnerId: ANDES,
  registrationId: '01890a5d-ac96-774b-bcce-b302099a8101',
  slug: 'andes-cloud',
  name: 'Andes Cloud',
  branding,
  revenueShareBasisPoints: 1_500,
  revenueShareMaxBasisPoints: 2_000,
  registeredAt: AT,
};

describe('a partner', () => {
  const partner = deciderSpecOf(partnerDecider);
  const registered = PartnerRegistered.of(registration);
  const register = { type: 'RegisterPartner', data: registration } as const;
  const change = (share: number, most: number | null = null) =>
    ({
      type: 'ChangeRevenueShare',
      data: {
        partnerId: ANDES,
        revenueShareBasisPoints: share,
        revenueShareMaxBasisPoints: most,
        changedAt: LATER,
      },
    }) as const;
  const changed = (share: number, most: number) =>
    RevenueShareChanged.of({
      partnerId: ANDES,
      revenueShareBasisPoints: share,
      revenueShareMaxBasisPoints: most,
      changedAt: LATER,
    });

  it('is registered once, and a retry of the request is the same', () => {
    partner.given().when(register).then(registered);
    partner.given(registered).when(register).thenNothing();
    const other = { ...registration, registrationId: '01890a5d-ac96-774b-bcce-b302099a8199' };
    partner
      .given(registered)
      .when({ type: 'RegisterPartner', data: other })
      .thenThrows('partner_slug_taken');
  });

  it('is not registered with a share above its ceiling', () => {
    const data = { ...registration, revenueShareBasisPoints: 2_001 };
    partner.given().when({ type: 'RegisterPartner', data }).thenThrows('share_above_ceiling');
  });

  it('changes its share up to the ceiling', () => {
    partner.given(registered).when(change(2_000)).then(changed(2_000, 2_000));
    partner.given(registered).when(change(2_001)).thenThrows('share_above_ceiling');
    partner.given(registered).when(change(1_500)).thenNothing();
  });

  it('gets another ceiling', () => {
    partner.given(registered).when(change(1_500, 3_000)).then(changed(1_500, 3_000));
    const raised = [registered, changed(1_500, 3_000)];
    partner
      .given(...raised)
      .when(change(3_000))
      .then(changed(3_000, 3_000));
    partner.given(registered).when(change(1_500, 1_000)).thenThrows('share_above_ceiling');
  });

  it('changes its profile', () => {
    const data = { partnerId: ANDES, name: 'Andes', branding, changedAt: LATER };
    const to = PartnerProfileChanged.of(data);
    partner.given(registered).when({ type: 'ChangeProfile', data }).then(to);
    partner.given(registered, to).when({ type: 'ChangeProfile', data }).thenNothing();
    const dark = { ...data, branding: { ...branding, cardBgColor: '#000000' } };
    partner
      .given(registered, to)
      .when({ type: 'ChangeProfile', data: dark })
      .then(PartnerProfileChanged.of(dark));
  });

  it('must be registered before it changes', () => {
    partner.given().when(change(1_000)).thenThrows('partner_not_found');
  });
});

describe('the numbers of partners', () => {
  const numbers = deciderSpecOf(partnerNumbersDecider);
  const numbering = (slug: string) =>
    ({ type: 'NumberPartner', data: { slug, numberedAt: AT } }) as const;
  const numbered = (slug: string, partnerId: PartnerId) =>
    PartnerNumbered.of({ slug, partnerId, numberedAt: AT });

  it('ascend from 1, and a slug keeps its number', () => {
    numbers.given().when(numbering('andes')).then(numbered('andes', ANDES));
    numbers.given(numbered('andes', ANDES)).when(numbering('coast')).then(numbered('coast', COAST));
    numbers.given(numbered('andes', ANDES)).when(numbering('andes')).thenNothing();
  });
});

describe('a user', () => {
  const user = deciderSpecOf(membershipDecider);
  const member = { userId: UserId.parse(7), accountId: '7', partnerId: ANDES };
  const of = (partnerId: PartnerId, capacity: 'manager' | 'sub_user' = 'sub_user') => ({
    ...member,
    partnerId,
    capacity,
  });
  const join = (data: ReturnType<typeof of>) =>
    ({ type: 'JoinPartner', data: { ...data, joinedAt: AT } }) as const;
  const leave = (data: ReturnType<typeof of>) =>
    ({ type: 'LeavePartner', data: { ...data, leftAt: LATER } }) as const;
  const joined = PartnerMemberJoined.of({ ...of(ANDES), joinedAt: AT });
  const left = PartnerMemberLeft.of({ ...of(ANDES), leftAt: LATER });

  it('joins a partner once', () => {
    user
      .given()
      .when(join(of(ANDES)))
      .then(joined);
    user
      .given(joined)
      .when(join(of(ANDES)))
      .thenNothing();
  });

  it('belongs to one partner, in one capacity', () => {
    user
      .given(joined)
      .when(join(of(COAST)))
      .thenThrows('member_of_partner');
    user
      .given(joined)
      .when(join(of(ANDES, 'manager')))
      .thenThrows('member_of_partner');
  });

  it('leaves its partner, and no other one', () => {
    user
      .given(joined)
      .when(leave(of(ANDES)))
      .then(left);
    user
      .given(joined)
      .when(leave(of(COAST)))
      .thenThrows('sub_user_not_found');
    user
      .given(joined)
      .when(leave(of(ANDES, 'manager')))
      .thenThrows('sub_user_not_found');
    user
      .given(joined, left)
      .when(leave(of(ANDES)))
      .thenThrows('sub_user_not_found');
  });

  it('joins another partner after that', () => {
    const next = PartnerMemberJoined.of({ ...of(COAST), joinedAt: AT });
    user
      .given(joined, left)
      .when(join(of(COAST)))
      .then(next);
  });
});

describe('a rig', () => {
  const rig = deciderSpecOf(fleetDecider);
  const assign = (partnerId: PartnerId) =>
    ({ type: 'AssignRig', data: { rig: 'press', partnerId, assignedAt: AT } }) as const;
  const remove = (partnerId: PartnerId) =>
    ({ type: 'RemoveRig', data: { rig: 'press', partnerId, removedAt: LATER } }) as const;
  const assigned = FleetRigAssigned.of({ rig: 'press', partnerId: ANDES, assignedAt: AT });
  const removed = FleetRigRemoved.of({ rig: 'press', partnerId: ANDES, removedAt: LATER });

  it('is in the fleet of one partner', () => {
    rig.given().when(assign(ANDES)).then(assigned);
    rig.given(assigned).when(assign(ANDES)).thenNothing();
    rig.given(assigned).when(assign(COAST)).thenThrows('rig_in_fleet');
  });

  it('is taken out of the fleet that it is in', () => {
    rig.given(assigned).when(remove(ANDES)).then(removed);
    rig.given(assigned).when(remove(COAST)).thenThrows('rig_not_in_fleet');
    rig.given(assigned, removed).when(remove(ANDES)).thenThrows('rig_not_in_fleet');
    rig.given(assigned, removed).when(assign(ANDES)).then(assigned);
  });
});
