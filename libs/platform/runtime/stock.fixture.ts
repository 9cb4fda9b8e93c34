import { randomUUID } from 'node:crypto';
import { type Logger, pino } from 'pino';
import { z } from 'zod';
import { defineEvent, type EventOf, upcast } from '#events/definition.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type Projection } from '#platform/kernel/projection.js';
import { type CommandContext, contextOf } from './commands/command-context.js';
import { EventCodec } from './commands/event-codec.js';
import { type SnapshotPlan } from './commands/snapshots.js';

/**
 * A business small enough to check by hand: a warehouse holds pieces, never fewer than none. The
 * second version of `PiecesTaken` knows why; the first did not.
 */
const TakenV1 = z.strictObject({ warehouse: z.string(), takeId: z.string(), pieces: z.int() });

export const PiecesAdded = defineEvent('PiecesAdded', {
  version: 1,
  schema: z.strictObject({ warehouse: z.string(), pieces: z.int().positive(), note: z.string() }),
});
export const PiecesTaken = defineEvent('PiecesTaken', {
  version: 2,
  schema: TakenV1.extend({ reason: z.string() }),
  upcasters: { 1: upcast(TakenV1, (v1) => ({ ...v1, reason: 'sale' })) },
});
export const WarehouseCleared = defineEvent('WarehouseCleared', {
  version: 1,
  schema: z.strictObject({ warehouse: z.string() }),
});

export type StockEvent =
  EventOf<typeof PiecesAdded> | EventOf<typeof PiecesTaken> | EventOf<typeof WarehouseCleared>;

export const stockEvents = [PiecesAdded, PiecesTaken, WarehouseCleared] as const;

export type StockCommand =
  | { readonly type: 'AddPieces'; readonly data: EventOf<typeof PiecesAdded>['data'] }
  | { readonly type: 'TakePieces'; readonly data: EventOf<typeof PiecesTaken>['data'] };

export interface Warehouse {
  readonly pieces: number;
  readonly taken: readonly string[];
}

const decide = (
  { type, data }: StockCommand,
  { pieces, taken }: Warehouse,
): readonly StockEvent[] => {
  switch (type) {
    case 'AddPieces':
      return [PiecesAdded.of(data)];
    case 'TakePieces':
      if (taken.includes(data.takeId)) return [];
      if (data.pieces > pieces) throw new DomainError('too_few', `${pieces} are left`);
      return [PiecesTaken.of(data)];
  }
};

const evolve = (warehouse: Warehouse, { type, data }: StockEvent): Warehouse => {
  switch (type) {
    case 'PiecesAdded':
      return { ...warehouse, pieces: warehouse.pieces + data.pieces };
    case 'PiecesTaken':
      return { pieces: warehouse.pieces - data.pieces, taken: [...warehouse.taken, data.takeId] };
    case 'WarehouseCleared':
      return { ...warehouse, pieces: 0 };
  }
};

export const stockDecider: Decider<StockCommand, Warehouse, StockEvent> = {
  initialState: { pieces: 0, taken: [] },
  decide,
  evolve,
};

export interface WarehouseView {
  readonly pieces: number;
  readonly events: number;
}

/** What is on each warehouse? A cleared warehouse has no document. */
export const warehouses: Projection<StockEvent, WarehouseView> = {
  name: 'warehouses',
  version: 1,
  on: { PiecesAdded, PiecesTaken, WarehouseCleared },
  keys: ({ data }) => [data.warehouse],
  initial: () => ({ pieces: 0, events: 0 }),
  project: ({ type, data }, { pieces, events }) => {
    if (type === 'WarehouseCleared') return null;
    const change = type === 'PiecesAdded' ? data.pieces : -data.pieces;
    return { pieces: pieces + change, events: events + 1 };
  },
};

export const warehouseSnapshots = (every: number): SnapshotPlan<Warehouse> => ({
  version: 1,
  every,
  toJson: (warehouse) => warehouse,
  fromJson: (json) => json as Warehouse,
});

export const stockCodec = (): EventCodec => new EventCodec(stockEvents);

export const add = (warehouse: string, pieces: number, note = ''): StockCommand => ({
  type: 'AddPieces',
  data: { warehouse, pieces, note },
});

export const take = (
  warehouse: string,
  pieces: number,
  takeId: string = randomUUID(),
): StockCommand => ({
  type: 'TakePieces',
  data: { warehouse, pieces, takeId, reason: 'sale' },
});

export const anyContext = (): CommandContext => contextOf(randomUUID(), 'spec');

export const silent: Logger = pino({ enabled: false });

/** A clock that changes only when a spec moves it. */
export const movableClock = (): Clock & { nowMs: number } => ({
  nowMs: Date.parse('2026-01-01T00:00:00.000Z'),
  now() {
    return this.nowMs;
  },
});
