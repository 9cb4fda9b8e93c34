import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  type MessageFormat,
  type WebhookEndpointCreated,
} from '#events/webhooks/webhook.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { Mailer } from '#platform/mail/mailer.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { accountEventsOf } from './account-events.js';
import { demandPublicUrl } from './private-addresses.js';
import { MAIL_SCHEME, WebhookSecrets } from './webhook-secrets.js';
import { OwnerMail } from './owner-mail.port.js';
import { newWebhookSecret } from '#platform/webhooks/standard-webhooks.js';
import { WebhookStreams } from './webhook-streams.js';
import { reject } from './webhooks.errors.js';
import { WEBHOOK_SETTINGS, type WebhookSettings } from './webhooks.settings.js';

export interface NewWebhook {
  readonly endpoint: WebhookEndpointCreated['data'];
  readonly url: string;
  /** Only the answer to the creation has it. */
  readonly secret: string;
}

export interface WebhookOrder {
  /** Null for the format `mail`: the address is the owner's. */
  readonly url: string | null;
  /** Empty: every notification. */
  readonly types: readonly string[];
  readonly format: MessageFormat;
}

export class CreateWebhookCommand extends Command<NewWebhook> {
  constructor(
    readonly owner: { readonly accountId: string; readonly userId: UserId },
    readonly order: WebhookOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateWebhookCommand)
export class CreateWebhookHandler implements ICommandHandler<CreateWebhookCommand> {
  constructor(
    private readonly streams: WebhookStreams,
    private readonly secrets: WebhookSecrets,
    private readonly areas: Areas,
    private readonly mailer: Mailer,
    private readonly owners: OwnerMail,
    @Inject(WEBHOOK_SETTINGS) private readonly settings: WebhookSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The id derives from the request. A repeated request gets the endpoint of the first one. */
  async execute({ owner, order, context }: CreateWebhookCommand): Promise<NewWebhook> {
    const { accountId, userId } = owner;
    const url = order.format === 'mail' ? await this.#mailOf(userId) : this.#webUrlOf(order);
    this.#demandTypes(order);
    const endpointId = derivedId('webhook-endpoint', context.requestId);
    const sealed = await this.secrets.seal(userId, url, newWebhookSecret());
    const createdAt = instant(this.clock);
    const types = [...new Set(order.types)];
    const { format } = order;
    const data = { accountId, endpointId, userId, ...sealed, types, format, createdAt };
    const command = { type: 'CreateEndpoint', data } as const;
    const { endpoints } = await this.streams.onEndpoints(command, context);
    const endpoint = endpoints.get(endpointId);
    const secret = endpoint ? await this.secrets.secretOf(endpoint) : null;
    if (!endpoint || secret === null) {
      return reject('webhook_not_found', `webhook ${endpointId} was deleted`);
    }
    return { endpoint, url, secret };
  }

  #webUrlOf({ url }: WebhookOrder): string {
    if (url === null)
      return reject('webhook_url_not_allowed', 'url: expected a URL, received none');
    demandPublicUrl(url, this.settings.allowsPrivate);
    return url;
  }

  /** To no other address, whose reader has agreed to no mail. */
  async #mailOf(userId: UserId): Promise<string> {
    if (!this.mailer.isSet) {
      return reject('webhook_mail_not_set_up', 'the operator has set no QUIPU_SMTP_URL');
    }
    const address = await this.owners.addressOf(userId);
    return address === null
      ? reject('webhook_mail_not_set_up', 'the owner of the account has no address')
      : `${MAIL_SCHEME}${address}`;
  }

  /** Events are too many for a mail box. */
  #demandTypes({ types, format }: WebhookOrder): void {
    const notifications = this.areas.notifications().map(({ type }) => type);
    const events = accountEventsOf(this.areas);
    const unknown = types.find(
      (type) => !notifications.includes(type) && (format === 'mail' || !events.has(type)),
    );
    if (unknown === undefined) return;
    reject(
      'webhook_type_unknown',
      `types: expected ${notifications.join(', ')}` +
        `${format === 'mail' ? '' : ' or an event of available_events'}, ` +
        `received ${unknown}`,
    );
  }
}
