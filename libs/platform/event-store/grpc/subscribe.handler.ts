import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, type Position, type RecordedEvent } from '../event-store.port.js';
import { compileFilter, type LogFilter } from './log-filter.js';
import { type Outlet } from './outlet.js';
import {
  encodeCaughtUp,
  encodeCheckpoint,
  encodeConfirmation,
  encodeEvent,
  encodeFellBehind,
  type Place,
  type ReadRequest,
} from './read.messages.js';

/** EventStoreDB multiplies a client's checkpoint interval by this number. */
const CHECKPOINT_POSITIONS = 32n;

/**
 * The pause between two deliveries to a client that has caught up, in milliseconds: events appended
 * in between are sent together. After a pause the first event is sent at once.
 */
const GATHER_MS = 10;

/** The start and the filter of a subscription. */
interface Course {
  readonly after: Position;
  readonly filter: LogFilter;
  /** Positions between two checkpoints, or null where none are sent. */
  readonly checkpointEvery: bigint | null;
}

/** Follows the log, or one stream of it, until the signal is aborted. */
export const sendSubscription = async (
  eventStore: EventStore,
  { target, uuidForm }: ReadRequest,
  outlet: Outlet,
  signal: AbortSignal,
): Promise<void> => {
  const { after, filter, checkpointEvery } =
    target.kind === 'all'
      ? await courseOfAll(eventStore, target)
      : await courseOfStream(eventStore, target);
  await outlet.send(encodeConfirmation(randomUUID()));
  let caughtUp = false;
  let checkpoint = after;
  const batches = eventStore.subscribe({
    after,
    ...(filter.stored !== undefined && { filter: filter.stored }),
    signal,
  });
  for await (const batch of batches) {
    for (const event of batch.events) {
      if (filter.passes(event)) await outlet.send(encodeEvent(event, uuidForm));
      if (signal.aborted) return;
    }
    const turned = batch.caughtUp !== caughtUp;
    ({ caughtUp } = batch);
    // Before the news that it has caught up, so that a client's place is then the log's head.
    const due =
      checkpointEvery !== null &&
      batch.position > checkpoint &&
      (batch.position - checkpoint >= checkpointEvery || (turned && caughtUp));
    if (due) {
      checkpoint = batch.position;
      await outlet.send(encodeCheckpoint(checkpoint));
    }
    if (turned) await outlet.send(caughtUp ? encodeCaughtUp() : encodeFellBehind());
    if (caughtUp) await sleep(GATHER_MS, undefined, { signal }).catch(() => undefined);
  }
};

const courseOfAll = async (
  eventStore: EventStore,
  { from, filter }: Extract<ReadRequest['target'], { kind: 'all' }>,
): Promise<Course> => ({
  after: await positionOf(eventStore, from),
  filter: compileFilter(filter),
  checkpointEvery:
    filter === null
      ? null
      : CHECKPOINT_POSITIONS * BigInt(Math.max(1, filter.checkpointMultiplier)),
});

const positionOf = async (eventStore: EventStore, from: Place): Promise<Position> => {
  if (from === 'start') return 0n;
  if (from === 'end') return eventStore.head();
  return from < POSITION_MAX ? from : POSITION_MAX;
};

/** Clients may name any position of 64 bits; stores count in safe integers. */
const POSITION_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** The port follows the whole log, so one stream is a prefix of names and a comparison. */
const courseOfStream = async (
  eventStore: EventStore,
  { stream, from }: Extract<ReadRequest['target'], { kind: 'stream' }>,
): Promise<Course> => {
  const revision = typeof from === 'bigint' ? from : -1n;
  const passes = (event: RecordedEvent) => event.stream === stream && event.revision > revision;
  return {
    after: await placeOfStream(eventStore, stream, from),
    filter: { stored: { by: 'stream', prefixes: [stream] }, passes, decidedByStore: false },
    checkpointEvery: null,
  };
};

/** Where in the log the stream has got to the place, so that nothing before it need be read. */
const placeOfStream = async (
  eventStore: EventStore,
  stream: string,
  from: Place,
): Promise<Position> => {
  // Read first: events appended during the search come after it.
  const head = await eventStore.head();
  if (from === 'end') return head;
  const first = from === 'start';
  const pages = eventStore.read(stream, {
    maxCount: 1,
    ...(!first && { direction: 'backwards', from: from < POSITION_MAX ? from : POSITION_MAX }),
  });
  for await (const [event] of pages) {
    if (event !== undefined) return first ? event.position - 1n : event.position;
  }
  return head;
};
