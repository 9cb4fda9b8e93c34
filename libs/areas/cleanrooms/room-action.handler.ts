import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { EnclaveActions, type RoomAction } from './enclave-actions.port.js';
import { Rooms } from './rooms.js';

export const ROOM_ACTIONS = ['attest_enclave', 'deposit_encrypted_data'] as const;
export type RoomActionName = (typeof ROOM_ACTIONS)[number];

export interface RoomActionOrder extends Omit<RoomAction, 'room'> {
  readonly action: RoomActionName;
  readonly cleanroomId: string;
  readonly context: CommandContext;
}

/** An action that needs the enclave of a room. Answers the fields of the response. */
export class RoomActionCommand extends Command<Readonly<Record<string, unknown>>> {
  constructor(readonly order: RoomActionOrder) {
    super();
  }
}

@CommandHandler(RoomActionCommand)
export class RoomActionHandler implements ICommandHandler<RoomActionCommand> {
  constructor(
    private readonly rooms: Rooms,
    private readonly enclaves: EnclaveActions,
  ) {}

  /** @throws DomainError */
  async execute({ order }: RoomActionCommand): Promise<Readonly<Record<string, unknown>>> {
    const { action, cleanroomId, ...asked } = order;
    const { room } = await this.rooms.find(cleanroomId, asked.accountId);
    switch (action) {
      case 'attest_enclave':
        return this.enclaves.attest({ room, ...asked });
      case 'deposit_encrypted_data':
        return this.enclaves.deposit({ room, ...asked });
    }
  }
}
