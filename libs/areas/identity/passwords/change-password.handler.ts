import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { checkPassword } from '../users/user-details.js';
import { PasswordChanges } from './password-changes.js';
import { PasswordCheck } from './password-check.js';

/**
 * A user replaces the own password and knows the present one.
 * @throws DomainError `invalid_credentials`, `invalid_password`
 */
export class ChangePasswordCommand extends Command<void> {
  constructor(
    readonly data: { readonly userId: UserId; readonly current: string; readonly password: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangePasswordCommand)
export class ChangePasswordHandler implements ICommandHandler<ChangePasswordCommand> {
  constructor(
    private readonly check: PasswordCheck,
    private readonly changes: PasswordChanges,
  ) {}

  async execute({ data, context }: ChangePasswordCommand): Promise<void> {
    const { userId, current, password } = data;
    checkPassword(password);
    await this.check.byId(userId, current);
    await this.changes.change(userId, password, context);
  }
}
