import {
  type EventFilter,
  type EventStore,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { type LogPlaces } from '#platform/runtime/history/log-places.js';
import { timeOfRequest } from '#platform/runtime/commands/request-id.js';
import { accountOf, accountStream } from '../accounts.js';
import { CLOCK_SKEW_MS_MAX } from '../hold-end.js';

/** Events of an account that are looked at for one request. */
export const EVENTS_SEARCHED_MAX = 200_000;
/** A request that is not in the log this long after it came is not there. */
const FIRST_WITHIN_MS = CLOCK_SKEW_MS_MAX;
/** Most clocks agree; the others agree to within the skew. */
const SKEWS_MS = [2_000, CLOCK_SKEW_MS_MAX] as const;

const ENDS: readonly string[] = ['HoldCaptured', 'HoldReleased', 'HoldExpired'];

export interface FoundRequest {
  readonly accountId: string;
  /** In the order of the log. */
  readonly events: readonly RecordedEvent[];
  /** False when more of its events may follow beyond the limit of the search. */
  readonly complete: boolean;
}

const holdIdOf = ({ data }: RecordedEvent): unknown => ('holdId' in data ? data.holdId : undefined);

const isOf = (event: RecordedEvent, requestId: string): boolean =>
  event.metadata.correlationId === requestId || holdIdOf(event) === requestId;

/**
 * The events of an account that a request led to. The id of a request has its time, so the search
 * begins there; one without a time is searched from the end of the stream.
 */
export const findRequest = async (
  eventStore: EventStore,
  requestId: string,
  accountId: string,
): Promise<FoundRequest | undefined> => {
  const stream = accountStream(accountId);
  const atMs = timeOfRequest(requestId);
  if (atMs === undefined) return searchBackwards(eventStore, requestId, accountId);
  for (const skewMs of SKEWS_MS) {
    const from = await firstRevisionAt(eventStore, stream, instantOf(atMs - skewMs));
    const found = await searchForwards(eventStore, requestId, accountId, from);
    if (found.events.length > 0) return found;
  }
  return undefined;
};

/** The account of a request whose id has its time. */
export const findAccount = async (
  eventStore: EventStore,
  places: LogPlaces,
  requestId: string,
): Promise<string | undefined> => {
  const atMs = timeOfRequest(requestId);
  if (atMs === undefined) return undefined;
  const latest = instantOf(atMs + FIRST_WITHIN_MS);
  const filter: EventFilter = { by: 'stream', prefixes: [accountStream('')] };
  for (const skewMs of SKEWS_MS) {
    const after = await lastPositionBefore(eventStore, places, instantOf(atMs - skewMs));
    for await (const page of eventStore.readAll({ after, filter })) {
      const found = page.find((event) => isOf(event, requestId));
      if (found) return accountOf(found.stream);
      if ((page.at(-1)?.recordedAt ?? '') > latest) break;
    }
  }
  return undefined;
};

const instantOf = (ms: number): string => new Date(ms).toISOString();

const searchForwards = async (
  eventStore: EventStore,
  requestId: string,
  accountId: string,
  from: bigint,
): Promise<FoundRequest> => {
  const latest = instantOf((timeOfRequest(requestId) ?? 0) + FIRST_WITHIN_MS);
  const events: RecordedEvent[] = [];
  const open = new Set<unknown>();
  let searched = 0;
  for await (const page of eventStore.read(accountStream(accountId), { from })) {
    for (const event of page) {
      if (events.length === 0 && event.recordedAt > latest) {
        return { accountId, events, complete: true };
      }
      searched += 1;
      // A saga may end or renew the hold for another reason than the request itself.
      if (!isOf(event, requestId) && !open.has(holdIdOf(event))) continue;
      events.push(event);
      if (ENDS.includes(event.type)) open.delete(holdIdOf(event));
      else if (event.type === 'HoldPlaced') open.add(holdIdOf(event));
    }
    if (events.length > 0 && open.size === 0) return { accountId, events, complete: true };
    if (searched >= EVENTS_SEARCHED_MAX) return { accountId, events, complete: false };
  }
  return { accountId, events, complete: true };
};

const searchBackwards = async (
  eventStore: EventStore,
  requestId: string,
  accountId: string,
): Promise<FoundRequest | undefined> => {
  const events: RecordedEvent[] = [];
  const options = { direction: 'backwards', maxCount: EVENTS_SEARCHED_MAX } as const;
  for await (const page of eventStore.read(accountStream(accountId), options)) {
    events.push(...page.filter((event) => isOf(event, requestId)));
    if (events.at(-1)?.type === 'HoldPlaced') break;
  }
  return events.length === 0
    ? undefined
    : { accountId, events: events.reverse(), complete: events[0]?.type === 'HoldPlaced' };
};

/** By bisection: revisions of a stream have no gaps, and are recorded in the order of time. */
const firstRevisionAt = async (
  eventStore: EventStore,
  stream: string,
  instant: string,
): Promise<bigint> => {
  const last = await firstOf(eventStore.read(stream, { direction: 'backwards', maxCount: 1 }));
  let [low, high] = [0n, last ? last.revision + 1n : 0n];
  while (low < high) {
    const middle = (low + high) / 2n;
    const event = await firstOf(eventStore.read(stream, { from: middle, maxCount: 1 }));
    if (event && event.recordedAt < instant) low = middle + 1n;
    else high = middle;
  }
  return low;
};

/** By bisection over the numbers of events: positions have gaps, where no read may begin. */
const lastPositionBefore = async (
  eventStore: EventStore,
  places: LogPlaces,
  instant: string,
): Promise<bigint> => {
  let [low, high] = [0n, await places.sizeAt(await eventStore.head())];
  let position = 0n;
  while (low < high) {
    const middle = (low + high) / 2n;
    const after = (await places.positionAt(middle)) ?? 0n;
    const event = await firstOf(eventStore.readAll({ after, maxCount: 1 }));
    if (event && event.recordedAt < instant) {
      low = middle + 1n;
      ({ position } = event);
    } else high = middle;
  }
  return position;
};

const firstOf = async (
  pages: AsyncIterable<readonly RecordedEvent[]>,
): Promise<RecordedEvent | undefined> => {
  for await (const page of pages) return page[0];
  return undefined;
};
