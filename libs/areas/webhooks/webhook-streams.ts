import { Inject, Injectable } from '@nestjs/common';
import {
  type WebhookDeliveryEvent,
  webhookDeliveryEvents,
  type WebhookEndpointEvent,
  webhookEndpointEvents,
} from '#events/webhooks/webhook.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import {
  type WebhookDeliveryCommand,
  webhookDeliveryDecider,
  type WebhookDeliveryState,
} from './webhook-delivery.decider.js';
import {
  type WebhookEndpointCommand,
  webhookEndpointsDecider,
  type WebhookEndpointsState,
} from './webhook-endpoints.decider.js';

const deliveryStream = (deliveryId: string): string => `webhookdelivery-${deliveryId}`;

/** Runs the commands of the area on their streams. */
@Injectable()
export class WebhookStreams {
  readonly #endpoints: CommandRunner<
    WebhookEndpointCommand,
    WebhookEndpointsState,
    WebhookEndpointEvent
  >;
  readonly #deliveries: CommandRunner<
    WebhookDeliveryCommand,
    WebhookDeliveryState,
    WebhookDeliveryEvent
  >;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const endpoints = {
      decider: webhookEndpointsDecider,
      codec: codec.for(webhookEndpointEvents),
    };
    this.#endpoints = new CommandRunner({ ...endpoints, eventStore });
    const deliveries = {
      decider: webhookDeliveryDecider,
      codec: codec.for(webhookDeliveryEvents),
    };
    this.#deliveries = new CommandRunner({ ...deliveries, eventStore });
  }

  /** @throws DomainError */
  async onEndpoints(
    command: WebhookEndpointCommand,
    context: CommandContext,
  ): Promise<WebhookEndpointsState> {
    const stream = `webhooks-${command.data.accountId}`;
    return (await this.#endpoints.run(stream, command, context)).state;
  }

  async endpointsOf(accountId: string): Promise<WebhookEndpointsState> {
    return (await this.#endpoints.stateOf(`webhooks-${accountId}`)).state;
  }

  /** @throws DomainError */
  async onDelivery(command: WebhookDeliveryCommand, context: CommandContext): Promise<void> {
    await this.#deliveries.run(deliveryStream(command.data.deliveryId), command, context);
  }

  async deliveryOf(deliveryId: string): Promise<WebhookDeliveryState> {
    return (await this.#deliveries.stateOf(deliveryStream(deliveryId))).state;
  }
}
