import { type PlannedContact } from '#areas/dtn/contact-plans.js';
import {
  type BundlePage,
  type ExplainedRoutes,
  type FoundPlan,
  type LoggedBundleEvent,
  type ShownBundle,
} from '#areas/dtn/dtn.queries.js';
import { type BookedHop, type BundleEvent } from '#events/dtn/dtn.events.js';
import { type CustodyRecord } from '#projections/dtn/bundles.projection.js';
import { presentPage } from '../pages/page.dto.js';
import { namedEvent } from '../sse/sse.js';
import {
  type BundleAnswerDto,
  type BundleDto,
  type BundleListDto,
  type BundlesPageDto,
  type ContactDto,
  type HandedOverDto,
  type PlanDto,
  type RouteHopDto,
  type RoutesDto,
} from './dtn.dto.js';

/** Of the plan in one answer. */
const CONTACTS_SHOWN = 500;

const presentHop = (hop: BookedHop): RouteHopDto => ({
  contact: hop.contact,
  kind: hop.kind,
  from: hop.from,
  to: hop.to,
  sends_at: hop.sendsAt,
  lapses_at: hop.lapsesAt,
  arrives_at: hop.arrivesAt,
});

/** An expired bundle and a lapsed route are shown so before the log has it. */
const statusOf = ({ status, expiresAt, route }: CustodyRecord, at: string): BundleDto['status'] => {
  if (status !== 'stored' && status !== 'forwarded') return status;
  if (expiresAt !== null && expiresAt <= at) return 'expired';
  if (status === 'forwarded') return status;
  const isOpen = route?.every(({ lapsesAt }) => lapsesAt >= at) ?? false;
  return isOpen ? 'en_route' : 'stored_no_route';
};

/** The fields, which two answers have among others. */
type BundleFields = Pick<BundleDto, keyof BundleDto>;

const presentBundle = (bundle: CustodyRecord, atMs: number): BundleFields => {
  const status = statusOf(bundle, new Date(atMs).toISOString());
  const route = ((status === 'en_route' || status === 'forwarded') && bundle.route) || [];
  const window = route.find(({ kind }) => kind !== 'ground') ?? route[0];
  return {
    bundle_id: bundle.bundleId,
    custody_accepted: bundle.status !== 'rejected',
    next_hop: route[0]?.to ?? null,
    est_ground_window_utc: window?.sendsAt ?? null,
    status,
    custody_model: 'gateway-store',
    rejection_reason: bundle.reason,
    source_eid: bundle.source,
    destination_eid: bundle.destination,
    priority: bundle.priority,
    payload_encoding: bundle.payloadEncoding,
    payload_bytes: bundle.payloadBytes,
    bundle_bytes: bundle.bundleBytes,
    accepted_at: bundle.acceptedAt,
    expires_at: bundle.expiresAt,
    route: route.map(presentHop),
  };
};

const presentDetail = (bundle: CustodyRecord, atMs: number) => ({
  ...presentBundle(bundle, atMs),
  history: bundle.history,
});

export const presentHandedOver = ({ bundle, atMs }: ShownBundle): HandedOverDto => ({
  success: true,
  ...presentBundle(bundle, atMs),
});

export const presentAnswer = ({ bundle, atMs }: ShownBundle): BundleAnswerDto => ({
  success: true,
  bundle: presentDetail(bundle, atMs),
});

export const presentBundles = (query: BundlesPageDto, found: BundlePage): BundleListDto => ({
  ...presentPage(query, found),
  bundles: found.bundles.map((bundle) => presentDetail(bundle, found.atMs)),
});

export const presentRoutes = ({ from, to, routes, plan }: ExplainedRoutes): RoutesDto => ({
  success: true,
  source_node: from,
  destination_node: to,
  routes: routes.map((hops) => ({
    next_hop: hops[0]?.to ?? to,
    arrives_at: hops.at(-1)?.arrivesAt ?? '',
    hops: hops.map(presentHop),
  })),
  contacts_considered: plan.contacts.length,
  gaps: plan.gaps.map(({ linkId, reason }) => ({ link_id: linkId, reason })),
});

const presentContact = (contact: PlannedContact): ContactDto => ({
  contact: contact.id,
  kind: contact.kind,
  from: contact.from,
  to: contact.to,
  starts_at: new Date(contact.startMs).toISOString(),
  ends_at: new Date(contact.endMs).toISOString(),
  bits_per_second: contact.bitsPerSecond,
  light_ms: contact.lightMs,
});

export const presentPlan = ({ state, plan }: FoundPlan): PlanDto => ({
  success: true,
  links: state.links
    .valueSeq()
    .map((link) => ({
      link_id: link.linkId,
      station_id: link.stationId,
      satellite_id: link.satelliteId,
      station_node: link.stationNode,
      satellite_node: link.satelliteNode,
      bits_per_second: link.bitsPerSecond,
    }))
    .toArray(),
  total_contacts: plan.contacts.length,
  contacts: plan.contacts
    .toSorted((one, other) => one.startMs - other.startMs)
    .slice(0, CONTACTS_SHOWN)
    .map(presentContact),
  gaps: plan.gaps.map(({ linkId, reason }) => ({ link_id: linkId, reason })),
});

const factsOf = (event: BundleEvent): Readonly<Record<string, unknown>> => {
  switch (event.type) {
    case 'BundleAccepted':
    case 'BundleRerouted':
      return { route: (event.data.route ?? []).map(presentHop) };
    case 'BundleRejected':
      return { rejection_reason: event.data.reason };
    case 'BundleForwarded':
      return { contact: event.data.contact, to: event.data.to };
    case 'CustodyTransferred':
    case 'BundleDelivered':
      return { by: event.data.by };
    case 'BundleCancelled':
    case 'BundleExpired':
      return {};
  }
};

const NAMES: Readonly<Record<BundleEvent['type'], string>> = {
  BundleAccepted: 'accepted',
  BundleRejected: 'rejected',
  BundleRerouted: 'rerouted',
  BundleForwarded: 'forwarded',
  CustodyTransferred: 'custody_transferred',
  BundleDelivered: 'delivered',
  BundleCancelled: 'cancelled',
  BundleExpired: 'expired',
};

export const presentBundleEvent = ({ revision, recordedAt, event }: LoggedBundleEvent): string =>
  namedEvent(NAMES[event.type], String(revision), {
    bundle_id: event.data.bundleId,
    recorded_at: recordedAt,
    ...factsOf(event),
  });
