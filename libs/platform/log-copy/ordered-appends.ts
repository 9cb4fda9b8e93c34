import {
  APPEND_BYTES_MAX,
  EVENT_OVERHEAD_BYTES,
  EVENTS_PER_APPEND_MAX,
} from '#platform/event-store/append.encoding.js';
import { type OrderedAppend, type RecordedEvent } from '#platform/event-store/event-store.port.js';

/** Appends that are under way at once: one group of the embedded log. */
const BATCH_APPENDS_MAX = 256;
/** Of their JSON, in UTF-16 units. */
const BATCH_UNITS_MAX = 2 * 1_048_576;
const UTF8_BYTES_PER_UNIT_MAX = 3;

/** Of events of another log. */
export interface CopiedAppend extends OrderedAppend {
  readonly events: readonly RecordedEvent[];
}

interface Run {
  readonly append: CopiedAppend & { readonly events: RecordedEvent[] };
  units: number;
  bytes: number;
}

/**
 * A page of a log as appends in its order: neighbours in one stream are one append, as
 * far as they surely fit. A single event always does: a store has taken it before.
 */
export const batchesOf = (page: readonly RecordedEvent[]): readonly (readonly CopiedAppend[])[] => {
  const batches: CopiedAppend[][] = [];
  let batch: CopiedAppend[] = [];
  let unitsOfBatch = 0;
  for (const { append, units } of runsOf(page)) {
    const isFull = batch.length >= BATCH_APPENDS_MAX || unitsOfBatch + units > BATCH_UNITS_MAX;
    if (batch.length === 0 || isFull) {
      batch = [];
      batches.push(batch);
      unitsOfBatch = 0;
    }
    batch.push(append);
    unitsOfBatch += units;
  }
  return batches;
};

const runsOf = (page: readonly RecordedEvent[]): readonly Run[] => {
  const runs: Run[] = [];
  for (const event of page) {
    const { stream, type, data, metadata, revision } = event;
    const units = JSON.stringify(data).length + JSON.stringify(metadata).length;
    const bytes = UTF8_BYTES_PER_UNIT_MAX * (units + type.length) + EVENT_OVERHEAD_BYTES;
    const run = runs.at(-1);
    if (
      run?.append.stream === stream &&
      run.append.events.length < EVENTS_PER_APPEND_MAX &&
      run.bytes + bytes <= APPEND_BYTES_MAX
    ) {
      run.append.events.push(event);
      run.units += units;
      run.bytes += bytes;
    } else {
      const expected = revision === 0n ? 'no-stream' : revision - 1n;
      runs.push({ append: { stream, events: [event], expected }, units, bytes });
    }
  }
  return runs;
};
