import { CutStreamError } from '#platform/event-store/event-store.errors.js';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type LogPlaces, PlaceUnknownError } from '#platform/runtime/history/log-places.js';
import { failed, type Finding, ok, warning } from './finding.js';

/** Clocks of machines that ask a time server differ by less. */
const CLOCK_MS_MAX = 2_000;
/** The newest events, whose streams are tried; `ledger check` reads all. */
const EVENTS_TRIED = 1_000n;
const STREAMS_TRIED_MAX = 100;

/** The clock beside the newest event, and the streams of the newest events. */
export const eventFindings = async (
  log: EventStore,
  places: LogPlaces,
  clock: Clock,
): Promise<readonly Finding[]> => {
  try {
    const newest = await newestEvents(log, places);
    const last = newest.at(-1);
    return [...(last ? [clockFinding(last, clock)] : []), await streamsFinding(log, newest)];
  } catch (error) {
    if (!(error instanceof PlaceUnknownError)) throw error;
    return [warning('streams', error.message, 'wait until the read models have caught up')];
  }
};

const newestEvents = async (
  log: EventStore,
  places: LogPlaces,
): Promise<readonly RecordedEvent[]> => {
  const size = await places.sizeAt(await log.head());
  const after = await places.positionAt(size > EVENTS_TRIED ? size - EVENTS_TRIED : 0n);
  const read = log.readAll({ after: after ?? 0n, maxCount: Number(EVENTS_TRIED) });
  return (await Array.fromAsync(read)).flat();
};

const clockFinding = ({ recordedAt }: RecordedEvent, clock: Clock): Finding => {
  const behindMs = Date.parse(recordedAt) - clock.now();
  if (behindMs <= CLOCK_MS_MAX) return ok('clock', 'not behind the newest event');
  const detail = `${(behindMs / 1_000).toFixed(1)} s behind the newest event`;
  return failed('clock', detail, 'let this machine and the others ask one time server');
};

const streamsFinding = async (
  log: EventStore,
  newest: readonly RecordedEvent[],
): Promise<Finding> => {
  const streams = [...new Set(newest.map(({ stream }) => stream))];
  const tried = streams.slice(0, STREAMS_TRIED_MAX);
  for (const stream of tried) {
    try {
      await Array.fromAsync(log.read(stream, { maxCount: 1 }));
    } catch (error) {
      if (!(error instanceof CutStreamError)) throw error;
      const remedy = 'remove $maxCount, $maxAge and $tb of the stream, or restore the log';
      return failed('streams', error.message, remedy);
    }
  }
  return ok('streams', `${tried.length} of the newest begin with their first event`);
};
