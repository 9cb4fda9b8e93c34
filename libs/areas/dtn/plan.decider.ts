import { Map as ImmutableMap } from 'immutable';
import {
  ContactPlanned,
  ContactWithdrawn,
  LinkDeclared,
  LinkWithdrawn,
  type PlanEvent,
} from '#events/dtn/dtn.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from './dtn.errors.js';

/** Planned by hand and not over. */
export const CONTACTS_MAX = 2_000;
/** Each has about 200 passes a week. */
export const LINKS_MAX = 16;

export type PlanCommand =
  | { readonly type: 'PlanContact'; readonly data: Omit<ContactPlanned['data'], 'contactId'> }
  | { readonly type: 'WithdrawContact'; readonly data: ContactWithdrawn['data'] }
  | { readonly type: 'DeclareLink'; readonly data: Omit<LinkDeclared['data'], 'linkId'> }
  | { readonly type: 'WithdrawLink'; readonly data: LinkWithdrawn['data'] };

export interface PlanState {
  readonly lastContactId: number;
  readonly lastLinkId: number;
  readonly contacts: ImmutableMap<number, ContactPlanned['data']>;
  readonly links: ImmutableMap<number, LinkDeclared['data']>;
}

const decide = ({ type, data }: PlanCommand, state: PlanState): PlanEvent[] => {
  switch (type) {
    case 'PlanContact': {
      if (data.endsAt <= data.startsAt || data.endsAt <= data.plannedAt) {
        return reject('contact_invalid', 'ends_at: expected an instant after starts_at and now');
      }
      if (data.from === data.to) return reject('contact_invalid', 'to: expected another node');
      const open = state.contacts.count(({ endsAt }) => endsAt > data.plannedAt);
      if (open >= CONTACTS_MAX) {
        return reject('contact_plan_full', `the plan has ${CONTACTS_MAX} contacts to come`);
      }
      return [ContactPlanned.of({ contactId: state.lastContactId + 1, ...data })];
    }
    case 'WithdrawContact':
      return state.contacts.has(data.contactId)
        ? [ContactWithdrawn.of(data)]
        : reject('contact_not_found', `there is no contact ${data.contactId}`);
    case 'DeclareLink': {
      const { stationId, satelliteId } = data;
      const isKnown = state.links.some(
        (link) => link.stationId === stationId && link.satelliteId === satelliteId,
      );
      if (isKnown) {
        const detail = `station ${stationId} and satellite ${satelliteId} have a link`;
        return reject('link_exists', detail);
      }
      if (state.links.size >= LINKS_MAX) {
        return reject('contact_plan_full', `the plan has ${LINKS_MAX} links`);
      }
      return [LinkDeclared.of({ linkId: state.lastLinkId + 1, ...data })];
    }
    case 'WithdrawLink':
      return state.links.has(data.linkId)
        ? [LinkWithdrawn.of(data)]
        : reject('link_not_found', `there is no link ${data.linkId}`);
  }
};

const evolve = (state: PlanState, { type, data }: PlanEvent): PlanState => {
  switch (type) {
    case 'ContactPlanned': {
      // Contacts that are over leave the state when it is full.
      const { contacts: before } = state;
      const isOpen = ({ endsAt }: ContactPlanned['data']): boolean => endsAt > data.plannedAt;
      const open = before.size < CONTACTS_MAX ? before : before.filter(isOpen);
      const contacts = open.set(data.contactId, data);
      return { ...state, lastContactId: data.contactId, contacts };
    }
    case 'ContactWithdrawn':
      return { ...state, contacts: state.contacts.delete(data.contactId) };
    case 'LinkDeclared':
      return { ...state, lastLinkId: data.linkId, links: state.links.set(data.linkId, data) };
    case 'LinkWithdrawn':
      return { ...state, links: state.links.delete(data.linkId) };
  }
};

export const planDecider: Decider<PlanCommand, PlanState, PlanEvent> = {
  initialState: {
    lastContactId: 0,
    lastLinkId: 0,
    contacts: ImmutableMap(),
    links: ImmutableMap(),
  },
  decide,
  evolve,
};
