import fc from 'fast-check';
import { type EventToAppend } from '#platform/event-store/event-store.port.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type TimeTravelWorld } from '#platform/runtime/history/time-travel.contract.js';
import { stockEvents, warehouses } from '#platform/runtime/stock.fixture.js';
import { areas } from '#apps/composition/areas.js';
import { goldenEvents, type VersionedFile } from '../golden/golden.files.js';

type Log = TimeTravelWorld['events'];

const recorded = (type: string, version: number, data: object, index: number): EventToAppend => ({
  id: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
  type,
  data,
  metadata: { version, correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'spec' },
});

const EVENTS_MAX = 60;

/** Warehouses that are filled, emptied and cleared, so that documents come and go. */
const stockLog: Log = fc
  .array(
    fc.record({
      warehouse: fc.constantFrom('a', 'b', 'ba', 'ü', 'zz'),
      step: fc.constantFrom('PiecesAdded', 'PiecesAdded', 'PiecesTaken', 'WarehouseCleared'),
      pieces: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 1, maxLength: EVENTS_MAX },
  )
  .map((steps) =>
    steps.map(({ warehouse, step, pieces }, index) => {
      if (step === 'PiecesAdded') return recorded(step, 1, { warehouse, pieces, note: '' }, index);
      if (step === 'WarehouseCleared') return recorded(step, 1, { warehouse }, index);
      return recorded(step, 2, { warehouse, pieces, takeId: 't', reason: 'sale' }, index);
    }),
  );

export const stockWorld = {
  projections: [warehouses],
  codec: new EventCodec(stockEvents),
  events: stockLog,
} satisfies Partial<TimeTravelWorld>;

const UUID_END = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{11})[0-9a-f]/g;
const MINUTES = /T(\d\d):\d\d:/g;
const ACCOUNT_END = /("accountId":"\d*)\d"/g;

/** The same event of another account, rig and minute. */
const varied = (content: unknown, variant: number): object => {
  const json = JSON.stringify(content)
    .replaceAll(UUID_END, `$1${variant}`)
    .replaceAll(MINUTES, `T$1:0${variant}:`)
    .replaceAll(ACCOUNT_END, `$1${variant}"`);
  return JSON.parse(json) as object;
};

const latestVersions = (files: readonly VersionedFile[]): readonly VersionedFile[] => {
  const byType = Map.groupBy(files, ({ type }) => type);
  return [...byType.values()].map((versions) =>
    versions.reduce((one, other) => (one.version > other.version ? one : other)),
  );
};

/** Every projection of every area, over logs of the events that they read. */
export const areasWorld = async () => {
  const projections = areas.flatMap((area) => area.projections);
  const read = new Set(projections.flatMap(({ on }) => Object.keys(on as object)));
  const golden = latestVersions(await goldenEvents()).filter(({ type }) => read.has(type));
  const events: Log = fc
    .array(fc.tuple(fc.constantFrom(...golden), fc.integer({ min: 0, max: 2 })), {
      minLength: 1,
      maxLength: EVENTS_MAX,
    })
    .map((steps) =>
      steps.map(([{ type, version, content }, variant], index) =>
        recorded(type, version, varied(content, variant), index),
      ),
    );
  const codec = new EventCodec(areas.flatMap((area) => area.events));
  return { projections, codec, events } satisfies Partial<TimeTravelWorld>;
};
