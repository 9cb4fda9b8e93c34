import {
  BundleAccepted,
  BundleCancelled,
  BundleDelivered,
  type BundleEvent,
  BundleExpired,
  BundleRerouted,
  type BookedHop,
  CustodyTransferred,
} from '#events/dtn/dtn.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** Bytes by priority. */
export interface BookedContact {
  readonly bulk: number;
  readonly normal: number;
  readonly expedited: number;
}

type Booking = Exclude<BundleEvent, { readonly type: 'BundleRejected' | 'BundleForwarded' }>;

/** The ground network carries everything: nothing is booked there. */
const contactsOf = (route: readonly BookedHop[] | null): readonly string[] =>
  (route ?? []).flatMap(({ contact, kind }) => (kind === 'ground' ? [] : contact));

const freedBy = (event: Booking): readonly string[] =>
  event.type === 'BundleAccepted' ? [] : contactsOf(event.data.before);

const bookedBy = ({ type, data }: Booking): readonly string[] =>
  type === 'BundleAccepted' || type === 'BundleRerouted' ? contactsOf(data.route) : [];

/** How many bytes of each contact have the stored bundles booked? */
export const bookedContacts: Projection<Booking, BookedContact> = {
  name: 'dtn-booked-contacts',
  version: 1,
  on: {
    BundleAccepted,
    BundleRerouted,
    CustodyTransferred,
    BundleDelivered,
    BundleCancelled,
    BundleExpired,
  },
  keys: (event) => [...new Set([...freedBy(event), ...bookedBy(event)])],
  initial: () => ({ bulk: 0, normal: 0, expedited: 0 }),
  project: (event, booked, contact) => {
    const { priority, bundleBytes } = event.data;
    const signs =
      Number(bookedBy(event).includes(contact)) - Number(freedBy(event).includes(contact));
    const after = { ...booked, [priority]: booked[priority] + signs * bundleBytes };
    return after.bulk + after.normal + after.expedited === 0 ? null : after;
  },
};
