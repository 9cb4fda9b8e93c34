import {
  type Booked,
  type Contact,
  freeBytesOf,
  type NodeId,
  type Priority,
  sendMsOf,
} from './contact-plan.js';

/** Alternatives of one search. */
export const ROUTES_MAX = 8;

export interface Hop {
  readonly contact: Contact;
  /** The first bit leaves the sender. */
  readonly sendsAtMs: number;
  /** The last bit reaches the receiver. */
  readonly arrivesAtMs: number;
}

/** A path of contacts, in their order. */
export interface Route {
  readonly hops: readonly Hop[];
  readonly arrivesAtMs: number;
}

export interface RouteSearch {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly readyAtMs: number;
  /** The bundle is gone from then on. */
  readonly expiresAtMs: number;
  /** Of the encoded bundle. */
  readonly bytes: number;
  readonly priority: Priority;
  /** By the id of the contact. */
  readonly booked: ReadonlyMap<string, Booked>;
}

/**
 * The routes that arrive first, the best one first: contact graph routing with Dijkstra's search,
 * as Schedule-Aware Bundle Routing (CCSDS 734.3) has it, and Yen's algorithm for alternatives. A
 * bundle waits at a node for a contact; a contact counts where it has the time, the volume and the
 * lifetime for the whole bundle. No node is visited twice.
 */
export const routesOf = (
  plan: readonly Contact[],
  search: RouteSearch,
  max = 1,
): readonly Route[] => {
  const graph = graphOf(plan, search);
  const found: Route[] = [];
  const candidates: Route[] = [];
  const first = firstRoute(graph, search, [], new Set());
  if (first) candidates.push(first);
  while (candidates.length > 0 && found.length < Math.min(max, ROUTES_MAX)) {
    candidates.sort(inOrder);
    const [route] = candidates.splice(0, 1);
    if (!route) break;
    found.push(route);
    for (const candidate of deviationsOf(graph, search, route, found)) {
      if (!candidates.some((known) => nameOf(known) === nameOf(candidate))) {
        candidates.push(candidate);
      }
    }
  }
  return found;
};

type Graph = ReadonlyMap<NodeId, readonly Contact[]>;

/** The contacts by their sender, without those that cannot carry the bundle. */
const graphOf = (plan: readonly Contact[], search: RouteSearch): Graph => {
  const { bytes, priority, booked, readyAtMs, expiresAtMs } = search;
  const graph = new Map<NodeId, Contact[]>();
  for (const contact of plan) {
    if (contact.endMs <= readyAtMs || contact.startMs >= expiresAtMs) continue;
    if (freeBytesOf(contact, booked.get(contact.id), priority) < bytes) continue;
    const known = graph.get(contact.from);
    if (known) known.push(contact);
    else graph.set(contact.from, [contact]);
  }
  return graph;
};

const nameOf = ({ hops }: Route): string => hops.map(({ contact }) => contact.id).join('>');

/** The first to arrive; then the one with fewer hops; then by names, so that a search repeats. */
const inOrder = (one: Route, other: Route): number =>
  one.arrivesAtMs - other.arrivesAtMs ||
  one.hops.length - other.hops.length ||
  (nameOf(one) < nameOf(other) ? -1 : 1);

/** The best routes that leave a found one at each of its nodes. */
const deviationsOf = (
  graph: Graph,
  search: RouteSearch,
  { hops }: Route,
  found: readonly Route[],
): readonly Route[] =>
  hops.flatMap((_, length) => {
    const root = hops.slice(0, length);
    const name = nameOf({ hops: root, arrivesAtMs: 0 });
    const taken = found
      .filter((route) => nameOf({ ...route, hops: route.hops.slice(0, length) }) === name)
      .flatMap((route) => route.hops[length]?.contact.id ?? []);
    return firstRoute(graph, search, root, new Set(taken)) ?? [];
  });

interface Label {
  readonly node: NodeId;
  readonly hops: readonly Hop[];
  readonly atMs: number;
}

/**
 * The best route with a given beginning. To arrive earlier at a node is never worse, so each node
 * is settled once.
 * @param excluded contacts that the first hop after the beginning must not use
 */
const firstRoute = (
  graph: Graph,
  search: RouteSearch,
  root: readonly Hop[],
  excluded: ReadonlySet<string>,
): Route | null => {
  const settled = new Set<NodeId>(root.map(({ contact }) => contact.from));
  const last = root.at(-1);
  const start: Label = {
    node: last?.contact.to ?? search.from,
    hops: root,
    atMs: last?.arrivesAtMs ?? search.readyAtMs,
  };
  const open = new Map<NodeId, Label>([[start.node, start]]);
  while (open.size > 0) {
    const label = [...open.values()].reduce((one, other) => (isBetter(other, one) ? other : one));
    if (label.node === search.to) return { hops: label.hops, arrivesAtMs: label.atMs };
    open.delete(label.node);
    settled.add(label.node);
    for (const contact of graph.get(label.node) ?? []) {
      if (settled.has(contact.to) || (label === start && excluded.has(contact.id))) continue;
      const hop = hopOf(contact, label.atMs, search);
      if (!hop) continue;
      const next = { node: contact.to, hops: [...label.hops, hop], atMs: hop.arrivesAtMs };
      const known = open.get(contact.to);
      if (!known || isBetter(next, known)) open.set(contact.to, next);
    }
  }
  return null;
};

const isBetter = (one: Label, other: Label): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.hops.length < other.hops.length);

/** Null where the contact ends, or the bundle expires, before the last bit. */
const hopOf = (contact: Contact, readyAtMs: number, search: RouteSearch): Hop | null => {
  const sendsAtMs = Math.max(contact.startMs, readyAtMs);
  const sentAtMs = sendsAtMs + sendMsOf(contact, search.bytes);
  const arrivesAtMs = sentAtMs + contact.lightMs;
  if (sendsAtMs >= contact.endMs || sentAtMs > contact.endMs) return null;
  return arrivesAtMs > search.expiresAtMs ? null : { contact, sendsAtMs, arrivesAtMs };
};
