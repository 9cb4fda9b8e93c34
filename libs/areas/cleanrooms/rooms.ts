import { Inject, Injectable } from '@nestjs/common';
import {
  CleanroomId,
  type CleanroomNumbered,
  type RoomEvent,
  roomEvents,
  roomNumberEvents,
} from '#events/cleanrooms/cleanroom.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandOutcome, CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type RoomRecord } from '#projections/cleanrooms/cleanrooms.projection.js';
import { reject } from './cleanrooms.errors.js';
import { demandRoom, type RoomCommand, roomDecider, type RoomState } from './room.decider.js';
import { type NumberRoom, type RoomNumbers, roomNumbersDecider } from './room-numbers.decider.js';

export const NUMBERS_STREAM = 'cleanrooms-numbers';
const ROOM_PREFIX = 'cleanroom-';
export const roomStream = (cleanroomId: string): string => `${ROOM_PREFIX}${cleanroomId}`;

/** Null for the stream of another aggregate. */
export const roomIdOfStream = (stream: string): string | null => {
  const id = stream.slice(ROOM_PREFIX.length);
  return stream.startsWith(ROOM_PREFIX) && CleanroomId.safeParse(id).success ? id : null;
};

/** A room as an account may see it, with the spends that its answers came from. */
export interface FoundRoom extends RoomState {
  readonly room: RoomRecord;
}

/** Runs the commands of every stream of the area. */
@Injectable()
export class Rooms {
  readonly #numbers: CommandRunner<NumberRoom, RoomNumbers, CleanroomNumbered>;
  readonly #rooms: CommandRunner<RoomCommand, RoomState, RoomEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    this.#numbers = new CommandRunner({
      decider: roomNumbersDecider,
      eventStore,
      codec: codec.for(roomNumberEvents),
    });
    this.#rooms = new CommandRunner({
      decider: roomDecider,
      eventStore,
      codec: codec.for(roomEvents),
    });
  }

  /** The number of a room; a repeat finds the same one. */
  async number(data: NumberRoom['data'], context: CommandContext): Promise<number> {
    const command = { type: 'NumberRoom', data } as const;
    const { state } = await this.#numbers.run(NUMBERS_STREAM, command, context);
    const number = state.get(data.cleanroomId);
    if (number === undefined) throw new Error(`the room ${data.cleanroomId} has no number`);
    return number;
  }

  /** Of every room, in the order of their numbers; a creation may have ended before its room. */
  async ids(): Promise<readonly string[]> {
    const { state } = await this.#numbers.stateOf(NUMBERS_STREAM);
    return [...state.entries()].toSorted(([, a], [, b]) => a - b).map(([id]) => id);
  }

  /** @throws DomainError */
  async run(
    cleanroomId: string,
    command: RoomCommand,
    context: CommandContext,
  ): Promise<CommandOutcome<RoomState, RoomEvent>> {
    demandId(cleanroomId);
    return this.#rooms.run(roomStream(cleanroomId), command, context);
  }

  /** @throws DomainError `cleanroom_not_found`, also for a room that the account does not see */
  async find(cleanroomId: string, accountId: string): Promise<FoundRoom> {
    demandId(cleanroomId);
    const { state } = await this.#rooms.stateOf(roomStream(cleanroomId));
    return { ...state, room: demandRoom(state.room, accountId) };
  }

  /** As the log has it; the room is null before its creation. */
  async stateOf(cleanroomId: string): Promise<RoomState> {
    demandId(cleanroomId);
    return (await this.#rooms.stateOf(roomStream(cleanroomId))).state;
  }
}

const demandId = (cleanroomId: string): void => {
  if (!CleanroomId.safeParse(cleanroomId).success) {
    reject('cleanroom_not_found', 'there is no such clean room');
  }
};
