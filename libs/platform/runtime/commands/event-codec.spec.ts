import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineEvent, UnreadableEventError } from '#events/definition.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { EventCodec, UnknownEventTypeError } from './event-codec.js';
import {
  anyContext,
  PiecesAdded,
  PiecesTaken,
  WarehouseCleared,
  stockCodec,
  stockEvents,
} from '../stock.fixture.js';

const context = anyContext();

const recorded = (type: string, version: number, data: object): RecordedEvent => ({
  id: context.requestId,
  type,
  data,
  metadata: { version, ...context },
  stream: 'warehouse-a',
  revision: 0n,
  position: 1n,
  recordedAt: '2026-01-01T00:00:00.000Z',
});

const taken = { warehouse: 'a', takeId: 'one', pieces: 1 };

describe('the event codec', () => {
  it('lifts an older version to the newest', () => {
    const event = stockCodec().revive(recorded('PiecesTaken', 1, taken));
    expect(event).toEqual({ type: 'PiecesTaken', data: { ...taken, reason: 'sale' } });
  });

  it.each([
    ['a type that no area defines', recorded('PiecesPainted', 1, {}), UnknownEventTypeError],
    ['a version from the future', recorded('PiecesTaken', 3, taken), UnreadableEventError],
    ['a version without an upcaster', recorded('PiecesTaken', 0, taken), UnreadableEventError],
    ['data that do not fit', recorded('PiecesTaken', 2, taken), UnreadableEventError],
    ['data that have too much', recorded('WarehouseCleared', 1, taken), UnreadableEventError],
  ])('stops at %s', (_, event, failure) => {
    expect(() => stockCodec().revive(event)).toThrow(failure);
  });

  it('names and remembers an event that it cannot read, by position and stream', () => {
    const codec = stockCodec();
    expect(codec.unreadable()).toEqual([]);
    const unfit = { ...recorded('PiecesTaken', 2, taken), position: 12n, stream: 'warehouse-b' };
    expect(() => codec.revive(unfit)).toThrow('at position 12 of warehouse-b: ');
    expect(() => codec.revive(unfit)).toThrow(UnreadableEventError);
    expect(codec.unreadable()).toEqual([
      {
        position: 12n,
        stream: 'warehouse-b',
        reason: expect.stringContaining('cannot read PiecesTaken version 2: '),
      },
    ]);
  });

  it('validates an event once as it reads it', () => {
    let parses = 0;
    const schema = z.strictObject({}).refine(() => (parses += 1) > 0);
    const codec = new EventCodec([defineEvent('Counted', { version: 1, schema })]);
    const event = recorded('Counted', 1, {});
    expect(codec.revive(event)).toBe(codec.revive(event));
    expect(parses).toBe(1);
  });

  it('does not validate an event again that it has just stored', () => {
    const codec = stockCodec();
    const given = PiecesAdded.of({ warehouse: 'a', pieces: 1, note: '' });
    const stored = codec.store(given, 'warehouse-a', 'AddPieces', context, 0);
    const live = { ...recorded('PiecesAdded', 1, stored.data), ...stored };
    expect(codec.revive(live)).toEqual(given);
    expect(codec.revive(live).data).toBe(stored.data);
    expect(() => codec.revive({ ...live, type: 'WarehouseCleared' })).toThrow(UnreadableEventError);
  });

  it('writes the newest version and nothing that could not be read again', () => {
    const codec = stockCodec();
    const event = { type: 'PiecesTaken', data: { ...taken, reason: 'gift' } };
    const { metadata } = codec.store(event, 'warehouse-a', 'TakePieces', context, 0);
    expect(metadata.version).toBe(2);
    const unfit = { type: 'PiecesTaken', data: taken };
    expect(() => codec.store(unfit, 'warehouse-a', 'TakePieces', context, 0)).toThrow('reason');
  });

  it('rejects two definitions of one type, and takes one that is given twice', () => {
    const twin = defineEvent('PiecesAdded', { version: 1, schema: z.strictObject({}) });
    expect(() => new EventCodec([...stockEvents, twin])).toThrow('two definitions');
    expect(() => new EventCodec([...stockEvents, ...stockEvents])).not.toThrow();
  });

  it('for some definitions reads only their events, and only declared ones', () => {
    const warehouseCleared = recorded('WarehouseCleared', 1, { warehouse: 'a' });
    const codec = stockCodec();
    expect(codec.for([WarehouseCleared]).revive(warehouseCleared)).toBe(
      codec.revive(warehouseCleared),
    );
    expect(() => codec.for([PiecesTaken]).revive(warehouseCleared)).toThrow(UnknownEventTypeError);
    const Painted = defineEvent('Painted', { version: 1, schema: z.strictObject({}) });
    expect(() => codec.for([Painted])).toThrow(UnknownEventTypeError);
  });
});
