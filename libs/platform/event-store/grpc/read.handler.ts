import { type EventStore, type RecordedEvent, type StreamName } from '../event-store.port.js';
import { readAllBackwards } from './backwards.js';
import { compileFilter, type LogFilter } from './log-filter.js';
import { type Outlet } from './outlet.js';
import {
  encodeEvent,
  encodeStreamNotFound,
  type Place,
  type ReadRequest,
} from './read.messages.js';

type Target<Kind> = Extract<ReadRequest['target'], { kind: Kind }>;

/** Sends the stored events, up to the count, and returns. */
export const sendRecorded = async (
  eventStore: EventStore,
  request: ReadRequest,
  count: number,
  outlet: Outlet,
): Promise<void> => {
  const { target } = request;
  if (target.kind === 'stream') await sendStream(eventStore, request, target, count, outlet);
  else await sendAll(eventStore, request, target, count, outlet);
};

const sendStream = async (
  eventStore: EventStore,
  { direction, uuidForm }: ReadRequest,
  { stream, from }: Target<'stream'>,
  count: number,
  outlet: Outlet,
): Promise<void> => {
  let found = false;
  const nothing = from === 'end' && direction === 'forwards';
  const pages = eventStore.read(stream, {
    direction,
    ...revisionOf(from),
    maxCount: nothing ? 0 : count,
  });
  for await (const page of pages) {
    found = true;
    for (const event of page) {
      await outlet.send(encodeEvent(event, uuidForm));
      if (outlet.closed) return;
    }
  }
  // Checked last: most streams that are read exist.
  if (!found && !(await exists(eventStore, stream))) {
    await outlet.send(encodeStreamNotFound(stream));
  }
};

const revisionOf = (from: Place): { from?: bigint } => {
  if (from === 'end') return {};
  if (from === 'start') return { from: 0n };
  return { from: from < SAFE_MAX ? from : SAFE_MAX };
};

/** Clients may name any place of 64 bits; stores count in safe integers. */
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);

const exists = async (eventStore: EventStore, stream: StreamName): Promise<boolean> => {
  for await (const page of eventStore.read(stream, { maxCount: 1 })) return page.length > 0;
  return false;
};

const sendAll = async (
  eventStore: EventStore,
  { direction, uuidForm }: ReadRequest,
  { from, filter }: Target<'all'>,
  count: number,
  outlet: Outlet,
): Promise<void> => {
  const events =
    direction === 'forwards'
      ? readAllForwards(eventStore, compileFilter(filter), from, count)
      : readAllBackwards(eventStore, compileFilter(filter), await beforeOf(eventStore, from));
  let left = count;
  if (left === 0) return;
  for await (const event of events) {
    await outlet.send(encodeEvent(event, uuidForm));
    left -= 1;
    if (left === 0 || outlet.closed) return;
  }
};

async function* readAllForwards(
  eventStore: EventStore,
  { stored, passes, decidedByStore }: LogFilter,
  from: Place,
  count: number,
): AsyncGenerator<RecordedEvent> {
  const pages = eventStore.readAll({
    after: await afterOf(eventStore, from),
    ...(stored !== undefined && { filter: stored }),
    ...(decidedByStore && { maxCount: count }),
  });
  for await (const page of pages) {
    for (const event of page) if (passes(event)) yield event;
  }
}

/** A reading forwards begins with the event at the position itself; the port's begins after it. */
const afterOf = async (eventStore: EventStore, from: Place): Promise<bigint> => {
  if (from === 'start' || from === 0n) return 0n;
  if (from === 'end') return eventStore.head();
  return (from < SAFE_MAX ? from : SAFE_MAX) - 1n;
};

/** A reading backwards begins with the last event before the position. */
const beforeOf = async (eventStore: EventStore, from: Place): Promise<bigint> => {
  if (from === 'start') return 0n;
  const beyond = (await eventStore.head()) + 1n;
  return from === 'end' || from > beyond ? beyond : from;
};
