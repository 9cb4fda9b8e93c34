import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  type MessageFormat,
  type WebhookEndpointCreated,
} from '#events/webhooks/webhook.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { accountEventsOf } from './account-events.js';
import { demandPublicUrl } from './private-addresses.js';
import { WebhookSecrets } from './webhook-secrets.js';
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
  readonly url: string;
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
    @Inject(WEBHOOK_SETTINGS) private readonly settings: WebhookSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The id derives from the request. A repeated request gets the endpoint of the first one. */
  async execute({ owner, order, context }: CreateWebhookCommand): Promise<NewWebhook> {
    const { accountId, userId } = owner;
    demandPublicUrl(order.url, this.settings.allowsPrivate);
    this.#demandTypes(order.types);
    const endpointId = derivedId('webhook-endpoint', context.requestId);
    const sealed = await this.secrets.seal(userId, order.url, newWebhookSecret());
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
    return { endpoint, url: order.url, secret };
  }

  #demandTypes(types: readonly string[]): void {
    const notifications = this.areas.notifications().map(({ type }) => type);
    const events = accountEventsOf(this.areas);
    const unknown = types.find((type) => !notifications.includes(type) && !events.has(type));
    if (unknown === undefined) return;
    reject(
      'webhook_type_unknown',
      `types: expected ${notifications.join(', ')} or an event of available_events, ` +
        `received ${unknown}`,
    );
  }
}
