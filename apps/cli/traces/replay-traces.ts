import { sendSpans } from '#areas/traces/span-sender.js';
import { spansOfRecorded, TRACED_TYPES } from '#areas/traces/spans.js';
import { TRACE_SETTINGS, type TraceSettings } from '#areas/traces/traces.settings.js';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type LogPlaces } from '#platform/runtime/history/log-places.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { areas } from '../../composition/areas.js';
import { CommandFailure, stopIfInterrupted } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { withInstallation } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { placeAt } from '../log-place.js';
import { openProgress } from '../progress.js';

export interface ReplayTracesOptions extends CommonOptions {
  readonly from: bigint;
  readonly to?: bigint;
}

/** The place of the server's own export stays where it is. */
export const replayTraces = (
  { from, to }: ReplayTracesOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withInstallation(
    invocation,
    'exists',
    async ({ engines: { eventStore, ...engines }, settings }) => {
      const { endpoint, headers } = settings.ofAreas.get(TRACE_SETTINGS) as TraceSettings;
      if (endpoint === null) {
        const message = 'QUIPU_OTLP_ENDPOINT: expected the address of a collector, received none';
        throw new CommandFailure('bad_settings', message, EXIT.usage);
      }
      const { signal, stderr } = invocation;
      const { places, codec } = new Runtime({ ...engines, eventStore }, areas);
      const { after, end } = await rangeOf(eventStore, places, from, to);
      const progress = await openProgress(stderr, 'Sending spans');
      let [events, spans] = [0, 0];
      let last: Position = after;
      try {
        const filter = { by: 'type', prefixes: TRACED_TYPES } as const;
        for await (const page of eventStore.readAll({ ...(after > 0n && { after }), filter })) {
          stopIfInterrupted(signal);
          const within = page.filter(({ position }) => position <= end);
          const found = spansOfRecorded(codec, within);
          await sendSpans({ endpoint, headers }, found, signal).catch(async (cause: unknown) => {
            const place = await placeAt(places, last);
            throw unsent(place, cause);
          });
          events += within.length;
          spans += found.length;
          last = within.at(-1)?.position ?? last;
          progress.update(last, end);
          if (within.length < page.length) break;
        }
      } finally {
        progress.stop();
      }
      return {
        json: { events, spans, last_position: await placeAt(places, last) },
        text: `${spans} spans of ${events} events were sent.`,
      };
    },
  );

/** Positions of the store: the event before the first one, and the last one. */
const rangeOf = async (
  eventStore: EventStore,
  places: LogPlaces,
  from: bigint,
  to: bigint | undefined,
): Promise<{ readonly after: Position; readonly end: Position }> => {
  const head = await eventStore.head();
  const positionOf = async (count: bigint): Promise<Position> =>
    count <= 0n ? 0n : ((await places.positionAt(count)) ?? head);
  return {
    after: await positionOf(from - 1n),
    end: to === undefined ? head : await positionOf(to),
  };
};

const unsent = (place: string | null, cause: unknown): CommandFailure => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const sent = place === null || place === '0' ? 'no event' : `the events up to ${place}`;
  const message = `the collector has the spans of ${sent}: ${reason}`;
  return new CommandFailure('collector_unavailable', message, EXIT.failed, { cause });
};
