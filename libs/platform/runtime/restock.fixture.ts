import { type AnySaga, type Saga, type SagaAction } from '#platform/kernel/saga.js';
import { PiecesAdded, PiecesTaken, WarehouseCleared, type StockEvent } from './stock.fixture.js';

interface Restock {
  readonly type: 'Restock';
  readonly data: { readonly warehouse: string; readonly takeId: string };
}

interface Look {
  readonly type: 'Look';
  readonly data: { readonly warehouse: string };
}

type RestockCommand = Restock | Look;

interface Restocking {
  readonly low: boolean;
}

/** When the saga checks a warehouse again. */
export const LOOK_AT = '2026-01-01T00:10:00.000Z';

const react = (
  { type, data }: StockEvent,
  { low }: Restocking,
): readonly SagaAction<RestockCommand>[] => {
  const { warehouse } = data;
  switch (type) {
    case 'PiecesAdded':
      return low ? [{ kind: 'cancel', timer: 'look' }] : [];
    case 'PiecesTaken':
      return [
        {
          kind: 'command',
          command: { type: 'Restock', data: { warehouse, takeId: data.takeId } },
        },
        { kind: 'publish', topic: 'restocking', key: warehouse, data: { warehouse } },
        {
          kind: 'schedule',
          timer: 'look',
          dueAt: LOOK_AT,
          command: { type: 'Look', data: { warehouse } },
        },
      ];
    case 'WarehouseCleared':
      return [{ kind: 'cancel', timer: 'look' }];
  }
};

/** Orders the taken pieces, and checks a warehouse that is not refilled in time. */
export const restockSaga: Saga<StockEvent, Restocking, RestockCommand> = {
  name: 'restock',
  on: { PiecesAdded, PiecesTaken, WarehouseCleared },
  key: ({ data }) => data.warehouse,
  initialState: { low: false },
  evolve: (_, { type }) => {
    if (type === 'WarehouseCleared') return null;
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
