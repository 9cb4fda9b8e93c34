import { type AnySaga, type Saga, type SagaAction } from '#platform/kernel/saga.js';
import { PiecesAdded, PiecesTaken, ShelfCleared, type StockEvent } from './stock.fixture.js';

interface Restock {
  readonly type: 'Restock';
  readonly data: { readonly shelf: string; readonly takeId: string };
}

interface Look {
  readonly type: 'Look';
  readonly data: { readonly shelf: string };
}

type RestockCommand = Restock | Look;

interface Restocking {
  readonly low: boolean;
}

/** When the saga checks a shelf again. */
export const LOOK_AT = '2026-01-01T00:10:00.000Z';

const react = (
  { type, data }: StockEvent,
  { low }: Restocking,
): readonly SagaAction<RestockCommand>[] => {
  const { shelf } = data;
  switch (type) {
    case 'PiecesAdded':
      return low ? [{ kind: 'cancel', timer: 'look' }] : [];
    case 'PiecesTaken':
      return [
        {
          kind: 'command',
          command: { type: 'Restock', data: { shelf, takeId: data.takeId } },
        },
        { kind: 'publish', topic: 'restocking', key: shelf, data: { shelf } },
        {
          kind: 'schedule',
          timer: 'look',
          dueAt: LOOK_AT,
          command: { type: 'Look', data: { shelf } },
        },
      ];
    case 'ShelfCleared':
      return [{ kind: 'cancel', timer: 'look' }];
  }
};

/** Orders what was taken, and checks a shelf that is not refilled in time. */
export const restockSaga: Saga<StockEvent, Restocking, RestockCommand> = {
  name: 'restock',
  on: { PiecesAdded, PiecesTaken, ShelfCleared },
  key: ({ data }) => data.shelf,
  initialState: { low: false },
  evolve: (_, { type }) => {
    if (type === 'ShelfCleared') return null;
    return { low: type === 'PiecesTaken' };
  },
  react,
};

/** The same with timers only: it sends and publishes nothing at once. */
export const watchSaga: AnySaga = {
  ...restockSaga,
  name: 'watch',
  react: (event: StockEvent, state: Restocking) =>
    react(event, state).filter(({ kind }) => kind === 'schedule' || kind === 'cancel'),
};
