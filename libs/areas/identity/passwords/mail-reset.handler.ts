import { Inject } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { Mailer, MailError } from '#platform/mail/mailer.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { UserProfileQuery } from '../accounts/user-profile.handler.js';
import { reject } from '../identity.errors.js';
import { IDENTITY_SETTINGS, type IdentitySettings } from '../identity.settings.js';
import { type OfferedReset, OfferPasswordResetCommand } from './offer-reset.handler.js';

/**
 * Mails a user the token of an offered reset, so that no operator sees it.
 * @throws DomainError `user_not_found`, `mail_not_set_up`, `mail_not_sent`
 */
export class MailPasswordResetCommand extends Command<Pick<OfferedReset, 'expiresAt'>> {
  constructor(
    readonly userId: UserId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(MailPasswordResetCommand)
export class MailPasswordResetHandler implements ICommandHandler<MailPasswordResetCommand> {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly mailer: Mailer,
    @Inject(IDENTITY_SETTINGS) private readonly settings: IdentitySettings,
  ) {}

  async execute({ userId, context }: MailPasswordResetCommand) {
    if (!this.mailer.isSet) reject('mail_not_set_up', 'the operator has set no QUIPU_SMTP_URL');
    const { email } = await this.queries.execute(new UserProfileQuery(userId));
    const offered = await this.commands.execute(new OfferPasswordResetCommand(userId, context));
    const { name, baseUrl } = this.settings.tenant;
    try {
      await this.mailer.send({
        to: email,
        subject: `Another password for ${name}`,
        text: textOf(baseUrl, offered),
      });
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      reject('mail_not_sent', error.message);
    }
    return { expiresAt: offered.expiresAt };
  }
}

const textOf = (baseUrl: string, { token, expiresAt }: OfferedReset): string =>
  `An operator offers you another password. Your present one stays valid until you set it.

Set it once, until ${expiresAt}: POST ${new URL('/api/v1/auth/password_reset', baseUrl).href}
with this token, and the password as new_password:

  ${token}

If you did not ask for it, do nothing.
`;
