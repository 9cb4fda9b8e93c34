import { describe, expect, it } from '@jest/globals';
import { CommandRunner } from './command-runner.js';
import { FaultyEventStore } from '../faulty-stores.fake.js';
import {
  add,
  anyContext,
  PiecesAdded,
  stockCodec,
  type StockCommand,
  type StockEvent,
  stockEvents,
  WarehouseCleared,
} from '../stock.fixture.js';

describe('a decider with a state that may be null', () => {
  it('decides on null after the command that led there', async () => {
    const store = new FaultyEventStore();
    const runner = new CommandRunner<StockCommand, number | null, StockEvent>({
      decider: {
        initialState: null,
        decide: ({ data: { warehouse } }, pieces) => {
          const added = { warehouse, pieces: 5, note: '' };
          return pieces === null ? [PiecesAdded.of(added)] : [WarehouseCleared.of({ warehouse })];
        },
        evolve: (_pieces, { type }) => (type === 'PiecesAdded' ? 5 : null),
      },
      eventStore: store,
      codec: stockCodec().for(stockEvents),
    });
    const states: (number | null)[] = [];
    for (const pieces of [5, 5, 5]) {
      states.push((await runner.run('warehouse-a', add('a', pieces), anyContext())).state);
    }
    expect(states).toEqual([5, null, 5]);
    const types = store.log.events.map(({ type }) => type);
    expect(types).toEqual(['PiecesAdded', 'WarehouseCleared', 'PiecesAdded']);
  });
});
