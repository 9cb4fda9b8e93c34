import { Map as ImmutableMap } from 'immutable';
import { CleanroomNumbered } from '#events/cleanrooms/cleanroom.events.js';
import { type Decider } from '#platform/kernel/decider.js';

export interface NumberRoom {
  readonly type: 'NumberRoom';
  readonly data: Omit<CleanroomNumbered['data'], 'number'>;
}

/** The number of each room. */
export type RoomNumbers = ImmutableMap<string, number>;

/** Gives rooms their numbers: one each, without gaps. */
export const roomNumbersDecider: Decider<NumberRoom, RoomNumbers, CleanroomNumbered> = {
  initialState: ImmutableMap(),
  decide: ({ data }, numbers) =>
    numbers.has(data.cleanroomId)
      ? []
      : [CleanroomNumbered.of({ ...data, number: numbers.size + 1 })],
  evolve: (numbers, { data }) => numbers.set(data.cleanroomId, data.number),
};
