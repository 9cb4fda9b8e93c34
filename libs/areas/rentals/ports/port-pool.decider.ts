import { Map as ImmutableMap } from 'immutable';
import {
  type PortBlockEvent,
  PortBlockReleased,
  PortBlockReserved,
} from '#events/rentals/rental.events.js';
import { PORTS_PER_RENTAL } from '#events/rentals/rental.job.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../rentals.errors.js';

type Order = Pick<PortBlockReserved['data'], 'rentalId' | 'accountId' | 'reservedAt'>;

export type PortPoolCommand =
  | {
      readonly type: 'ReservePortBlock';
      readonly data: Order & {
        /** The ports that blocks are taken from, both included. */
        readonly first: number;
        readonly last: number;
      };
    }
  | {
      readonly type: 'ReleasePortBlock';
      readonly data: Pick<PortBlockReleased['data'], 'rentalId' | 'reason' | 'releasedAt'>;
    };

/** A block that a rental has now. */
export type ReservedBlock = Omit<PortBlockReserved['data'], 'rentalId' | 'reservedAt'>;

export interface PortPoolState {
  readonly lastNumber: number;
  /** By rental. */
  readonly blocks: ImmutableMap<string, ReservedBlock>;
}

/** The lowest block that no rental has. A rental may still have ports of an earlier range. */
const freeBlock = ({ blocks }: PortPoolState, first: number, last: number): number | undefined => {
  for (let port = first; port + PORTS_PER_RENTAL - 1 <= last; port += PORTS_PER_RENTAL) {
    const end = port + PORTS_PER_RENTAL - 1;
    const isFree = blocks.every((block) => block.lastPort < port || block.firstPort > end);
    if (isFree) return port;
  }
  return undefined;
};

const decide = (
  { type, data }: PortPoolCommand,
  state: PortPoolState,
): readonly PortBlockEvent[] => {
  const block = state.blocks.get(data.rentalId);
  switch (type) {
    case 'ReservePortBlock': {
      if (block) return [];
      const { first, last, ...order } = data;
      const firstPort = freeBlock(state, first, last);
      if (firstPort === undefined) {
        return reject('ports_exhausted', 'every port block is rented; try again later');
      }
      const lastPort = firstPort + PORTS_PER_RENTAL - 1;
      const number = state.lastNumber + 1;
      return [PortBlockReserved.of({ ...order, number, firstPort, lastPort })];
    }
    case 'ReleasePortBlock': {
      if (!block) return [];
      const { number, firstPort, lastPort } = block;
      return [PortBlockReleased.of({ ...data, number, firstPort, lastPort })];
    }
  }
};

const evolve = (state: PortPoolState, { type, data }: PortBlockEvent): PortPoolState => {
  switch (type) {
    case 'PortBlockReserved': {
      const { rentalId, reservedAt: _, ...block } = data;
      return { lastNumber: data.number, blocks: state.blocks.set(rentalId, block) };
    }
    case 'PortBlockReleased':
      return { ...state, blocks: state.blocks.delete(data.rentalId) };
  }
};

/** Every rental has ports of its own, and a number that no other has. */
export const portPoolDecider: Decider<PortPoolCommand, PortPoolState, PortBlockEvent> = {
  initialState: { lastNumber: 0, blocks: ImmutableMap() },
  decide,
  evolve,
};
