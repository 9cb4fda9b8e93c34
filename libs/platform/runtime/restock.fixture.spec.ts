import { describe, it } from '@jest/globals';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { LOOK_AT, restockSaga } from './restock.fixture.js';
import { PiecesAdded, PiecesTaken, WarehouseCleared } from './stock.fixture.js';

describe('restocking', () => {
  const warehouse = sagaSpecOf(restockSaga);
  const added = PiecesAdded.of({ warehouse: 'a', pieces: 5, note: '' });
  const taken = PiecesTaken.of({ warehouse: 'a', takeId: 'one', pieces: 1, reason: 'sale' });
  const cleared = WarehouseCleared.of({ warehouse: 'a' });

  it('orders the taken pieces, publishes, and checks the warehouse later', () => {
    warehouse
      .given(added)
      .when(taken)
      .then(
        { kind: 'command', command: { type: 'Restock', data: { warehouse: 'a', takeId: 'one' } } },
        { kind: 'publish', topic: 'restocking', key: 'a', data: { warehouse: 'a' } },
        {
          kind: 'schedule',
          timer: 'look',
          dueAt: LOOK_AT,
          command: { type: 'Look', data: { warehouse: 'a' } },
        },
      );
  });

  it('has no look at a warehouse that was filled, and forgets one that was cleared', () => {
    warehouse.given(added, taken).when(added).then({ kind: 'cancel', timer: 'look' });
    warehouse.given(added).when(added).thenNothing();
    warehouse.given(added, taken).when(cleared).thenEnds();
  });
});
