import { describe, it } from '@jest/globals';
import {
  ContactPlanned,
  ContactWithdrawn,
  LinkDeclared,
  LinkWithdrawn,
} from '#events/dtn/dtn.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { CONTACTS_MAX, LINKS_MAX, planDecider } from './plan.decider.js';

const plans = deciderSpecOf(planDecider);
const NOW = '2026-11-25T19:00:00.000Z';
const SOON = '2026-11-25T20:00:00.000Z';
const THEN = '2026-11-25T21:00:00.000Z';
const CONTACT = {
  ...{ from: 'dtn://relay/', to: 'dtn://moon/', startsAt: SOON, endsAt: THEN },
  ...{ bitsPerSecond: 8_000, lightMs: 1_280, plannedAt: NOW },
};
const LINK = {
  ...{ stationId: 1, satelliteId: 25_338, bitsPerSecond: 8_000, declaredAt: NOW },
  ...{ stationNode: 'dtn://station-1/', satelliteNode: 'dtn://noaa-15/' },
};
const plan = (more: Partial<typeof CONTACT> = {}) =>
  ({ type: 'PlanContact', data: { ...CONTACT, ...more } }) as const;
const declare = (more: Partial<typeof LINK> = {}) =>
  ({ type: 'DeclareLink', data: { ...LINK, ...more } }) as const;
const planned = (contactId: number, more: Partial<typeof CONTACT> = {}) =>
  ContactPlanned.of({ contactId, ...CONTACT, ...more });
const declared = (linkId: number, more: Partial<typeof LINK> = {}) =>
  LinkDeclared.of({ linkId, ...LINK, ...more });

describe('a contact', () => {
  it('gets the number after the last one', () => {
    const withdrawn = ContactWithdrawn.of({ contactId: 1, withdrawnAt: NOW });
    plans.given().when(plan()).then(planned(1));
    plans.given(planned(1), withdrawn).when(plan()).then(planned(2));
  });

  it('is between two nodes, and ends in the future after its beginning', () => {
    plans
      .given()
      .when(plan({ to: CONTACT.from }))
      .thenThrows('contact_invalid');
    plans
      .given()
      .when(plan({ endsAt: SOON }))
      .thenThrows('contact_invalid');
    const past = { startsAt: '2026-11-25T17:00:00.000Z', endsAt: '2026-11-25T18:00:00.000Z' };
    plans.given().when(plan(past)).thenThrows('contact_invalid');
  });

  it('is refused in a full plan, until others are over', () => {
    const full = Array.from({ length: CONTACTS_MAX }, (_, n) => planned(n + 1));
    plans
      .given(...full)
      .when(plan())
      .thenThrows('contact_plan_full');
    const next = { startsAt: THEN, endsAt: '2026-11-25T22:00:00.000Z', plannedAt: THEN };
    plans
      .given(...full)
      .when(plan(next))
      .then(planned(CONTACTS_MAX + 1, next));
  });

  it('is withdrawn once', () => {
    const data = { contactId: 1, withdrawnAt: NOW };
    const withdraw = { type: 'WithdrawContact', data } as const;
    const withdrawn = ContactWithdrawn.of(data);
    plans.given(planned(1)).when(withdraw).then(withdrawn);
    plans.given(planned(1), withdrawn).when(withdraw).thenThrows('contact_not_found');
  });
});

describe('a link', () => {
  it('is declared once for a station and a satellite', () => {
    plans.given().when(declare()).then(declared(1));
    plans.given(declared(1)).when(declare()).thenThrows('link_exists');
    plans
      .given(declared(1))
      .when(declare({ stationId: 2 }))
      .then(declared(2, { stationId: 2 }));
  });

  it('is refused above the limit', () => {
    const full = Array.from({ length: LINKS_MAX }, (_, n) =>
      declared(n + 1, { satelliteId: n + 1 }),
    );
    plans
      .given(...full)
      .when(declare())
      .thenThrows('contact_plan_full');
  });

  it('is withdrawn once', () => {
    const data = { linkId: 1, withdrawnAt: NOW };
    const withdraw = { type: 'WithdrawLink', data } as const;
    const withdrawn = LinkWithdrawn.of(data);
    plans.given(declared(1)).when(withdraw).then(withdrawn);
    plans.given(declared(1), withdrawn).when(withdraw).thenThrows('link_not_found');
  });
});
