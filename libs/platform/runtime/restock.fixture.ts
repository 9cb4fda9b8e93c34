import { type AnySaga, type Saga, type SagaAction } from '#platform/kernel/saga.js';
import { PiecesAdded, PiecesTaken, ShelfCleared, type StockEvent } from './stock.fixture.js';

interface Restocking {
  readonly low: boolean;
}

/** When a reserved shelf is looked at again. */
export const LOOK_AT = '2026-01-01T00:10:00.000Z';

const react = ({ type, data }: StockEvent, { low }: Restocking): readonly SagaAction[] => {
  const { shelf } = data;
  switch (type) {
    case 'PiecesAdded':
      return low ? [{ kind: 'cancel', timer: 'look' }] : [];
    case 'PiecesTaken':
      return [
        { kind: 'command', command: 'Restock', data: { shelf, takeId: data.takeId } },
        { kind: 'publish', topic: 'restocking', key: shelf, data: { shelf } },
        { kind: 'schedule', timer: 'look', dueAt: LOOK_AT, command: 'Look', data: { shelf } },
      ];
    case 'ShelfCleared':
      return [{ kind: 'cancel', timer: 'look' }];
  }
};

/** Whatever is taken is ordered again, and a shelf nobody fills is looked at in time. */
export const restockSaga: Saga<StockEvent, Restocking> = {
  name: 'restock',
  on: [PiecesAdded, PiecesTaken, ShelfCleared],
  key: ({ data }) => data.shelf,
  initialState: { low: false },
  evolve: (_, { type }) => {
    if (type === 'ShelfCleared') return null;
    return { low: type === 'PiecesTaken' };
  },
  react,
};

/** The same without what leaves the process: only timers. */
export const watchSaga: AnySaga = {
  ...restockSaga,
  name: 'watch',
  react: (event: StockEvent, state: Restocking) =>
    react(event, state).filter(({ kind }) => kind === 'schedule' || kind === 'cancel'),
};
