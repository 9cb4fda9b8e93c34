import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { WebhookStreams } from './webhook-streams.js';
import { reject } from './webhooks.errors.js';

/** The type of a test message. No endpoint asks for it, and no event causes it. */
export const TEST_TYPE = 'webhook.test';

/** Queues a test message to an endpoint, whatever types it receives. */
export class TestWebhookCommand extends Command<{ readonly deliveryId: string }> {
  constructor(
    readonly endpoint: { readonly accountId: string; readonly endpointId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(TestWebhookCommand)
export class TestWebhookHandler implements ICommandHandler<TestWebhookCommand> {
  constructor(
    private readonly streams: WebhookStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `webhook_not_found` */
  async execute({ endpoint, context }: TestWebhookCommand) {
    const { accountId, endpointId } = endpoint;
    const { endpoints } = await this.streams.endpointsOf(accountId);
    if (!endpoints.has(endpointId)) {
      reject('webhook_not_found', `there is no webhook ${endpointId}`);
    }
    const deliveryId = derivedId('webhook-delivery', context.requestId);
    const now = instant(this.clock);
    const data = {
      deliveryId,
      accountId,
      endpointId,
      queuedAt: now,
      messageId: `msg_${derivedId(TEST_TYPE, context.requestId)}`,
      notification: TEST_TYPE,
      body: { webhook_id: endpointId },
      occurredAt: now,
    };
    await this.streams.onDelivery({ type: 'QueueDelivery', data }, context);
    return { deliveryId };
  }
}
