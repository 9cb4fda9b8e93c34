import { Inject, Injectable } from '@nestjs/common';
import { type BookedHop } from '#events/dtn/dtn.events.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { bookedContacts } from '#projections/dtn/booked-contacts.projection.js';
import { ContactPlans, type ContactPlan, type PlannedContact } from './contact-plans.js';
import { type Booked, type Priority, sendMsOf } from './routing/contact-plan.js';
import { type Route, routesOf, type RouteSearch } from './routing/contact-routes.js';

export interface RouteAsked {
  readonly from: string;
  readonly to: string;
  readonly readyAtMs: number;
  readonly expiresAtMs: number;
  /** Of the encoded bundle. */
  readonly bytes: number;
  readonly priority: Priority;
}

export interface FoundRoutes {
  readonly routes: readonly (readonly BookedHop[])[];
  readonly plan: ContactPlan;
}

/** Searches of one request: each finds a contact whose bookings were not yet known. */
const SEARCHES_MAX = 64;

/** Finds routes over the contact plan and the bookings of stored bundles. */
@Injectable()
export class BundleRoutes {
  constructor(
    private readonly plans: ContactPlans,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>,
  ) {}

  /**
   * Contacts are many, and few of them are used: bookings are read for the contacts of the routes
   * that are found, until all are known.
   * @param own what the bundle itself has booked, which is free for it
   */
  async find(
    asked: RouteAsked,
    max = 1,
    own: readonly BookedHop[] | null = null,
  ): Promise<FoundRoutes> {
    const plan = await this.plans.from(asked.readyAtMs, asked.expiresAtMs);
    const booked = new Map<string, Booked>();
    const search: RouteSearch = { ...asked, booked };
    const kinds = new Map(plan.contacts.map(({ id, kind }) => [id, kind]));
    let routes = routesOf(plan.contacts, search, max);
    for (let n = 0; n < SEARCHES_MAX; n += 1) {
      const unknown = unknownContacts(routes, booked, kinds);
      if (unknown.length === 0) break;
      for (const id of unknown) booked.set(id, await this.#bookedOf(id, asked, own));
      routes = routesOf(plan.contacts, search, max);
    }
    return { routes: routes.map((route) => hopsOf(route, asked.bytes, kinds)), plan };
  }

  async #bookedOf(
    id: string,
    { bytes, priority }: RouteAsked,
    own: readonly BookedHop[] | null,
  ): Promise<Booked> {
    const { document } = await this.projections.get(bookedContacts, id);
    const all = document ?? { bulk: 0, normal: 0, expedited: 0 };
    const isOwn = own?.some(({ contact }) => contact === id) ?? false;
    return isOwn ? { ...all, [priority]: all[priority] - bytes } : all;
  }
}

type Kinds = ReadonlyMap<string, PlannedContact['kind']>;

const unknownContacts = (
  routes: readonly Route[],
  booked: ReadonlyMap<string, Booked>,
  kinds: Kinds,
): readonly string[] =>
  routes
    .flatMap(({ hops }) => hops.map(({ contact }) => contact.id))
    .filter((id) => kinds.get(id) !== 'ground' && !booked.has(id));

const hopsOf = ({ hops }: Route, bytes: number, kinds: Kinds): readonly BookedHop[] =>
  hops.map(({ contact, sendsAtMs, arrivesAtMs }) => ({
    contact: contact.id,
    kind: kinds.get(contact.id) ?? 'manual',
    from: contact.from,
    to: contact.to,
    sendsAt: isoOf(sendsAtMs),
    lapsesAt: isoOf(contact.endMs - sendMsOf(contact, bytes)),
    arrivesAt: isoOf(arrivesAtMs),
  }));

const isoOf = (ms: number): string => new Date(ms).toISOString();
