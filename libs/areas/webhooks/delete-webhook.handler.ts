import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { WebhookStreams } from './webhook-streams.js';

/** Deletes an endpoint. What waits for it is cancelled when it is due. */
export class DeleteWebhookCommand extends Command<void> {
  constructor(
    readonly webhook: { readonly accountId: string; readonly endpointId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(DeleteWebhookCommand)
export class DeleteWebhookHandler implements ICommandHandler<DeleteWebhookCommand> {
  constructor(
    private readonly streams: WebhookStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `webhook_not_found` */
  async execute({ webhook, context }: DeleteWebhookCommand): Promise<void> {
    const data = { ...webhook, deletedAt: instant(this.clock) };
    await this.streams.onEndpoints({ type: 'DeleteEndpoint', data }, context);
  }
}
