import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { CreateWebhookCommand } from '#areas/webhooks/create-webhook.handler.js';
import { DeleteWebhookCommand } from '#areas/webhooks/delete-webhook.handler.js';
import { ReplayDeliveryCommand } from '#areas/webhooks/replay-delivery.handler.js';
import { TestWebhookCommand } from '#areas/webhooks/test-webhook.handler.js';
import {
  ListDeliveriesQuery,
  ListWebhooksQuery,
  MessageTypeQuery,
} from '#areas/webhooks/webhooks.queries.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { DoneDto } from '../identity/auth.dto.js';
import { ApiKeyGuard } from '../identity/api-key.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';

import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  CreateWebhookDto,
  DeliveriesDto,
  DeliveriesPageDto,
  MessageTypeDto,
  MessageTypeParamDto,
  NewWebhookDto,
  WebhookIdDto,
  WebhooksDto,
  WebhookTestDto,
} from './webhooks.dto.js';
import { presentDeliveries, presentNewWebhook, presentWebhooks } from './webhooks.presenter.js';

/** The webhooks of the account; an addition to the promised interface. */
@ApiTags('webhooks')
@Credentials('api-key')
@UseGuards(ApiKeyGuard)
@Scope('manage_keys')
@Controller('api/v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: 'Register an endpoint',
    description:
      'It receives what happens from then on, signed as Standard Webhooks. The answer is the ' +
      'only one that holds the secret.',
  })
  @ApiCreatedResponse({
    type: NewWebhookDto,
    description: 'The endpoint with its secret, which is shown once.',
  })
  @FailsWith(
    'webhook_url_not_allowed',
    'webhook_type_unknown',
    'webhook_mail_not_set_up',
    'too_many_webhooks',
  )
  async create(
    @Body() { url, types, format }: CreateWebhookDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<NewWebhookDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new CreateWebhookCommand(
      { accountId, userId },
      { url: url ?? null, types, format },
      context,
    );
    return presentNewWebhook(await this.commands.execute(command));
  }

  @Get()
  @ApiOperation({
    summary: 'List the endpoints',
    description: 'Without their secrets, and with the types that there are.',
  })
  @ApiOkResponse({ type: WebhooksDto, description: 'The endpoints and the types of messages.' })
  async list(@CurrentCaller() { accountId }: Caller): Promise<WebhooksDto> {
    return presentWebhooks(await this.queries.execute(new ListWebhooksQuery(accountId)));
  }

  @Delete(':id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Delete an endpoint',
    description: 'It receives nothing any more.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The endpoint is deleted.' })
  @FailsWith('webhook_not_found')
  async delete(
    @Param() { id: endpointId }: WebhookIdDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new DeleteWebhookCommand({ accountId, endpointId }, context));
    return { success: true, message: 'The webhook was deleted.' };
  }

  @Post(':id/test')
  @HttpCode(202)
  @Idempotent()
  @ApiOperation({
    summary: 'Send a test message',
    description:
      'Of the type `webhook.test`, whatever types the endpoint receives. `GET ' +
      '/api/v1/webhooks/deliveries` shows the answer.',
  })
  @ApiAcceptedResponse({ type: WebhookTestDto, description: 'The message is queued.' })
  @FailsWith('webhook_not_found')
  async test(
    @Param() { id: endpointId }: WebhookIdDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<WebhookTestDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new TestWebhookCommand({ accountId, endpointId }, context);
    const { deliveryId } = await this.commands.execute(command);
    return { success: true, delivery_id: deliveryId };
  }

  @Get('types/:type')
  @ApiOperation({
    summary: 'Get the schema of a type of messages',
    description: 'Of a notification, or of an event of accounts.',
  })
  @ApiOkResponse({ type: MessageTypeDto, description: 'The type with the schema of its `data`.' })
  @FailsWith('webhook_type_not_found')
  async type(@Param() { type }: MessageTypeParamDto): Promise<MessageTypeDto> {
    return { success: true, ...(await this.queries.execute(new MessageTypeQuery(type))) };
  }

  @Get('deliveries')
  @ApiOperation({
    summary: 'List the deliveries, newest first',
    description: 'Every message to an endpoint of the account, and what became of it.',
  })
  @ApiOkResponse({ type: DeliveriesDto, description: 'A page of deliveries.' })
  async deliveries(
    @Query() { limit, before }: DeliveriesPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<DeliveriesDto> {
    const query = new ListDeliveriesQuery(accountId, limit, before ?? null);
    return presentDeliveries(await this.queries.execute(query));
  }

  @Post('deliveries/:id/replay')
  @HttpCode(202)
  @Idempotent()
  @ApiOperation({
    summary: 'Send a message again',
    description: 'With the same `webhook-id`, and with the same retries as the first time.',
  })
  @ApiAcceptedResponse({ type: DoneDto, description: 'The message is queued.' })
  @FailsWith('webhook_delivery_not_found', 'webhook_delivery_cancelled')
  async replay(
    @Param() { id: deliveryId }: WebhookIdDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new ReplayDeliveryCommand({ accountId, deliveryId }, context));
    return { success: true, message: 'The message is sent again.' };
  }
}
