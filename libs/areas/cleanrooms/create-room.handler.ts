import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CompositionRule, type Role } from '#events/cleanrooms/cleanroom.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type RoomRecord } from '#projections/cleanrooms/cleanrooms.projection.js';
import { reject } from './cleanrooms.errors.js';
import { ACCOUNTANT_VERSION } from './privacy.engine.js';
import { limitOf } from './room-budget.js';
import { Rooms } from './rooms.js';

export interface NewRoom {
  /** The account that administers the room. */
  readonly accountId: string;
  readonly name: string;
  readonly totalEpsilon: string;
  readonly totalDelta: string;
  readonly rule: CompositionRule;
  readonly contributorsMin: number;
  readonly participants: readonly { readonly accountId: string; readonly role: Role }[];
}

/** Creates a room with its budget, which never changes, and its first participants. */
export class CreateRoomCommand extends Command<RoomRecord> {
  constructor(
    readonly room: NewRoom,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateRoomCommand)
export class CreateRoomHandler implements ICommandHandler<CreateRoomCommand> {
  constructor(
    private readonly rooms: Rooms,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError */
  async execute({ room: asked, context }: CreateRoomCommand): Promise<RoomRecord> {
    const { participants, ...terms } = asked;
    const limit = limitOf(terms.rule, { epsilon: terms.totalEpsilon, delta: terms.totalDelta });
    const cleanroomId = derivedId('cleanroom', context.requestId);
    const createdAt = instant(this.clock);
    const number = await this.rooms.number({ cleanroomId, numberedAt: createdAt }, context);
    const data = {
      ...{ ...terms, cleanroomId, number, limit, createdAt },
      accountantVersion: ACCOUNTANT_VERSION,
    };
    await this.rooms.run(cleanroomId, { type: 'CreateRoom', data }, context);
    for (const participant of participants) {
      const added = { cleanroomId, by: terms.accountId, ...participant, addedAt: createdAt };
      const cause = { id: context.requestId, correlationId: context.correlationId };
      const own = followUp(cause, `${participant.accountId}/${participant.role}`, context.actor);
      await this.rooms.run(cleanroomId, { type: 'AddParticipant', data: added }, own);
    }
    const { room } = await this.rooms.stateOf(cleanroomId);
    return room ?? reject('cleanroom_not_found', 'there is no such clean room');
  }
}
