import {
  type EventFilter,
  type EventStore,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { withInstallation } from '../installation.js';
import { type CommonOptions, type Invocation } from '../invocation.js';
import { type StartOfTail } from '../options.js';

export interface TailEventsOptions extends CommonOptions {
  readonly from?: StartOfTail;
  readonly filterStream?: string;
  readonly filterType?: string;
  readonly follow?: boolean;
  readonly limit?: number;
}

/** Prints events in the order of the log. Ctrl-C ends `--follow` with exit code 0. */
export const tailEvents = (
  options: TailEventsOptions,
  invocation: Invocation,
): Promise<undefined> =>
  withInstallation(invocation, 'exists', async ({ engines }) => {
    const { stdout, signal } = invocation;
    const { json = false, limit = Infinity } = options;
    let printed = 0;
    for await (const event of eventsOf(engines.eventStore, options, signal)) {
      const line = json ? JSON.stringify(fieldsOf(event)) : lineOf(event);
      if (!stdout.write(`${line}\n`)) await drained(stdout, signal);
      printed += 1;
      if (printed >= limit || signal.aborted) break;
    }
    return undefined;
  });

async function* eventsOf(
  eventStore: EventStore,
  { from = 0n, follow = false, ...options }: TailEventsOptions,
  signal: AbortSignal,
): AsyncGenerator<RecordedEvent> {
  // The event store reads after a position; `--from` names the first position to print.
  const after = from === 'end' ? await eventStore.head() : from - 1n;
  const filter = filterOf(options);
  const range = { ...(after > 0n && { after }), ...(filter && { filter }) };
  if (follow) {
    for await (const { events } of eventStore.subscribe({ ...range, signal })) yield* events;
  } else {
    for await (const page of eventStore.readAll(range)) yield* page;
  }
}

const filterOf = ({ filterStream, filterType }: TailEventsOptions): EventFilter | undefined => {
  if (filterStream !== undefined) return { by: 'stream', prefixes: [filterStream] };
  if (filterType !== undefined) return { by: 'type', prefixes: [filterType] };
  return undefined;
};

const fieldsOf = ({ id, type, stream, revision, position, ...event }: RecordedEvent): object => {
  const { version, correlationId, causationId, requestId, actor } = event.metadata;
  return {
    position: position.toString(),
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

const lineOf = ({ type, stream, revision, position, ...event }: RecordedEvent): string => {
  const { recordedAt, metadata, data } = event;
  const what = `${stream}/${revision} ${type} v${metadata.version}`;
  return `${position} ${recordedAt} ${what} by ${metadata.actor} ${JSON.stringify(data)}`;
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
