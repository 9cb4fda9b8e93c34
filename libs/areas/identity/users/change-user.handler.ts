import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Authenticator } from '../authentication/authenticator.js';
import { IdentityStreams, userStream } from '../identity.streams.js';
import { type UserCommand } from './user.decider.js';

/** A change that an operator makes. */
export type UserChange =
  | { readonly kind: 'disable' }
  | { readonly kind: 'enable' }
  | { readonly kind: 'reset_two_factor' }
  | { readonly kind: 'role'; readonly role: Role };

/**
 * @returns whether it changed anything
 * @throws DomainError `user_not_found`
 */
export class ChangeUserCommand extends Command<boolean> {
  constructor(
    readonly userId: UserId,
    readonly change: UserChange,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeUserCommand)
export class ChangeUserHandler implements ICommandHandler<ChangeUserCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ userId, change, context }: ChangeUserCommand): Promise<boolean> {
    const command = commandOf(userId, change, instant(this.clock));
    const { events } = await this.streams.users.run(userStream(userId), command, context);
    this.authenticator.invalidate();
    return events.length > 0;
  }
}

const commandOf = (userId: UserId, change: UserChange, at: string): UserCommand => {
  switch (change.kind) {
    case 'disable':
      return { type: 'DisableUser', data: { userId, disabledAt: at } };
    case 'enable':
      return { type: 'EnableUser', data: { userId, enabledAt: at } };
    case 'reset_two_factor':
      return { type: 'ResetTwoFactor', data: { userId, disabledAt: at } };
    case 'role':
      return { type: 'ChangeRole', data: { userId, role: change.role, changedAt: at } };
  }
};
