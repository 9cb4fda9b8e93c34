import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { WebhookStreams } from './webhook-streams.js';
import { reject } from './webhooks.errors.js';

/** Has a message sent again, with the same id. */
export class ReplayDeliveryCommand extends Command<void> {
  constructor(
    readonly delivery: { readonly accountId: string; readonly deliveryId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ReplayDeliveryCommand)
export class ReplayDeliveryHandler implements ICommandHandler<ReplayDeliveryCommand> {
  constructor(
    private readonly streams: WebhookStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `webhook_delivery_not_found`, `webhook_delivery_cancelled` */
  async execute({ delivery, context }: ReplayDeliveryCommand): Promise<void> {
    const { accountId, deliveryId } = delivery;
    const { message } = await this.streams.deliveryOf(deliveryId);
    if (message?.accountId !== accountId) {
      reject('webhook_delivery_not_found', `there is no delivery ${deliveryId}`);
    }
    const data = { deliveryId, replayedAt: instant(this.clock) };
    await this.streams.onDelivery({ type: 'ReplayDelivery', data }, context);
  }
}
