import { type ProjectionTo } from '#platform/kernel/projection.js';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { type DocumentReader } from '#platform/runtime/projections/document-reader.js';
import { slotKey, type SlotLevel, startOfSlot } from '#projections/statistics/time-slots.js';
import { DAY_MS, type Window } from './timespan.js';

/** A document of five minutes or of a whole day. */
export interface Slot<Document> {
  readonly startMs: number;
  readonly document: Document;
}

interface Range {
  readonly level: SlotLevel;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Whole days where the points of the window are days, slots where a day is not whole. */
const rangesOf = ({ fromMs, toMs, pointMs }: Window): readonly Range[] => {
  const firstDay = Math.ceil(fromMs / DAY_MS) * DAY_MS;
  const lastDay = Math.floor(toMs / DAY_MS) * DAY_MS;
  if (pointMs < DAY_MS || firstDay >= lastDay) return [{ level: 'slot', fromMs, toMs }];
  return [
    { level: 'slot', fromMs, toMs: firstDay },
    { level: 'day', fromMs: firstDay, toMs: lastDay },
    { level: 'slot', fromMs: lastDay, toMs },
  ];
};

const keyAt = (level: SlotLevel, atMs: number): string =>
  slotKey(level, new Date(atMs).toISOString());

/** The documents of a window, each instant in exactly one of them. */
export const slotsIn = async <Document extends object>(
  reader: DocumentReader,
  projection: ProjectionTo<Document>,
  window: Window,
): Promise<readonly Slot<Document>[]> => {
  const slots: Slot<Document>[] = [];
  for (const { level, fromMs, toMs } of rangesOf(window)) {
    const [from, before] = [keyAt(level, fromMs), keyAt(level, toMs)];
    const { documents } = await allDocuments(reader, projection, { from, before });
    for (const { key, document } of documents) {
      slots.push({ startMs: Date.parse(startOfSlot(key)), document });
    }
  }
  return slots;
};
