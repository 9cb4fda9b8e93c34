import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type RoomRecord } from '#projections/cleanrooms/cleanrooms.projection.js';
import { reject } from './cleanrooms.errors.js';
import { type RoomCommand } from './room.decider.js';
import { checkColumns } from './room-table.js';
import { Rooms } from './rooms.js';

type Changes = Extract<
  RoomCommand,
  {
    readonly type:
      'AddParticipant' | 'RemoveParticipant' | 'RegisterSchema' | 'WithdrawContribution';
  }
>;

/** A command of a member of the room, without its instant. */
export type RoomChange = Changes extends infer One
  ? One extends { readonly type: infer Type; readonly data: infer Data }
    ? {
        readonly type: Type;
        readonly data: Omit<
          Data,
          'cleanroomId' | 'addedAt' | 'removedAt' | 'registeredAt' | 'withdrawnAt'
        >;
      }
    : never
  : never;

/** Changes the participants, the schema or the rows of a room. */
export class ChangeRoomCommand extends Command<RoomRecord> {
  constructor(
    readonly cleanroomId: string,
    readonly change: RoomChange,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeRoomCommand)
export class ChangeRoomHandler implements ICommandHandler<ChangeRoomCommand> {
  constructor(
    private readonly rooms: Rooms,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError */
  async execute({ cleanroomId, change, context }: ChangeRoomCommand): Promise<RoomRecord> {
    if (change.type === 'RegisterSchema') checkColumns(change.data.columns);
    const command = this.#commandOf(cleanroomId, change);
    const { state } = await this.rooms.run(cleanroomId, command, context);
    return state.room ?? reject('cleanroom_not_found', 'there is no such clean room');
  }

  #commandOf(cleanroomId: string, change: RoomChange): RoomCommand {
    const at = instant(this.clock);
    switch (change.type) {
      case 'AddParticipant':
        return { type: 'AddParticipant', data: { cleanroomId, ...change.data, addedAt: at } };
      case 'RemoveParticipant':
        return { type: 'RemoveParticipant', data: { cleanroomId, ...change.data, removedAt: at } };
      case 'RegisterSchema':
        return { type: 'RegisterSchema', data: { cleanroomId, ...change.data, registeredAt: at } };
      case 'WithdrawContribution':
        return { type: 'WithdrawContribution', data: { ...change.data, withdrawnAt: at } };
    }
  }
}
