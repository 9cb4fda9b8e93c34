import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { generatedPassword } from '../users/user-details.js';
import { PasswordChanges } from './password-changes.js';

/**
 * An operator gives a user who has lost the password another one.
 * @returns the password, shown once
 * @throws DomainError `user_not_found`
 */
export class ResetPasswordCommand extends Command<string> {
  constructor(
    readonly userId: UserId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ResetPasswordCommand)
export class ResetPasswordHandler implements ICommandHandler<ResetPasswordCommand> {
  constructor(private readonly changes: PasswordChanges) {}

  async execute({ userId, context }: ResetPasswordCommand): Promise<string> {
    const password = generatedPassword();
    await this.changes.change(userId, password, context);
    return password;
  }
}
