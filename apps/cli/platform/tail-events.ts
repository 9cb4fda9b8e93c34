import {
  type EventFilter,
  type EventStore,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { type LogPlaces } from '#platform/runtime/history/log-places.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { areas } from '../../composition/areas.js';
import { withInstallation } from '../installation.js';
import { type CommonOptions, type Invocation } from '../invocation.js';
import { countAt } from '../log-place.js';
import { type StartOfTail } from '../options.js';

export interface TailEventsOptions extends CommonOptions {
  readonly from?: StartOfTail;
  readonly filterStream?: string;
  readonly filterType?: string;
  readonly follow?: boolean;
  readonly limit?: number;
}

/** An event, and its number in the log; null while the tree of the log is behind. */
interface NumberedEvent {
  readonly event: RecordedEvent;
  readonly number: bigint | null;
}

/** Prints events in the order of the log. Ctrl-C ends `--follow` with exit code 0. */
export const tailEvents = (
  options: TailEventsOptions,
  invocation: Invocation,
): Promise<undefined> =>
  withInstallation(invocation, 'exists', async ({ engines }) => {
    const { stdout, signal } = invocation;
    const { json = false, limit = Infinity } = options;
    const { places } = new Runtime(engines, areas);
    let printed = 0;
    for await (const event of eventsOf(engines.eventStore, places, options, signal)) {
      const line = json ? JSON.stringify(fieldsOf(event)) : lineOf(event);
      if (!stdout.write(`${line}\n`)) await drained(stdout, signal);
      printed += 1;
      if (printed >= limit || signal.aborted) break;
    }
    return undefined;
  });

async function* eventsOf(
  eventStore: EventStore,
  places: LogPlaces,
  { from = 1n, follow = false, ...options }: TailEventsOptions,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  const filter = filterOf(options);
  const start = await startOf(from, eventStore, places);
  const range = { ...(start.after > 0n && { after: start.after }), ...(filter && { filter }) };
  const pages = follow
    ? eventsOfBatches(eventStore.subscribe({ ...range, signal }))
    : eventStore.readAll(range);
  let last = start.number;
  for await (const page of pages) {
    for (const event of page) {
      // A filter passes over events, which only the tree has counted.
      if (last === null || filter) last = await countAt(places, event.position);
      else last += 1n;
      if (from !== 'end' && last !== null && last < from) continue;
      yield { event, number: last };
    }
  }
}

/** The event store reads after a position; `--from` names the number of the first event. */
const startOf = async (from: StartOfTail, eventStore: EventStore, places: LogPlaces) => {
  if (from !== 'end') {
    const before = from > 0n ? from - 1n : 0n;
    const after = await places.positionAt(before);
    if (after !== undefined) return { after, number: before };
  }
  const head = await eventStore.head();
  return { after: head, number: await countAt(places, head) };
};

async function* eventsOfBatches(
  batches: ReturnType<EventStore['subscribe']>,
): AsyncGenerator<readonly RecordedEvent[]> {
  for await (const { events } of batches) yield events;
}

const filterOf = ({ filterStream, filterType }: TailEventsOptions): EventFilter | undefined => {
  if (filterStream !== undefined) return { by: 'stream', prefixes: [filterStream] };
  if (filterType !== undefined) return { by: 'type', prefixes: [filterType] };
  return undefined;
};

const fieldsOf = ({ event, number }: NumberedEvent): object => {
  const { id, type, stream, revision, position } = event;
  const { version, correlationId, causationId, requestId, actor } = event.metadata;
  return {
    position: number?.toString() ?? null,
    store_position: position.toString(),
    recorded_at: event.recordedAt,
    stream,
    revision: revision.toString(),
    type,
    version,
    id,
    actor,
    request_id: requestId,
    correlation_id: correlationId,
    causation_id: causationId,
    data: event.data,
  };
};

const lineOf = ({ event, number }: NumberedEvent): string => {
  const { type, stream, revision, recordedAt, metadata, data } = event;
  const what = `${stream}/${revision} ${type} v${metadata.version}`;
  return `${number ?? '?'} ${recordedAt} ${what} by ${metadata.actor} ${JSON.stringify(data)}`;
};

/** Waits for the reader of the pipe. */
const drained = (stdout: NodeJS.WritableStream, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      stdout.removeListener('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    stdout.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
  });
