import { Controller, HttpCode, Inject, Post, Req, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { parseChatBody } from '#areas/inference/chat-body.js';
import { EstimateChatHandler } from '#areas/inference/estimate-chat.handler.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { CHAT_BODY } from './chat.docs.js';
import { EstimateDto } from './estimate.dto.js';
import { presentEstimate } from './estimate.presenter.js';

/** The price of a chat before it runs. */
@ApiTags('inference')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/estimate')
export class EstimateController {
  constructor(
    private readonly estimates: EstimateChatHandler,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Estimate the price of a chat',
    description:
      'Takes the body of a chat completion and runs the code that would hold its worst case: ' +
      'prices, tiers, balance, budgets, limits per minute, and whether a rig can take it. ' +
      'Nothing is held or charged, and no rig is called. An unknown model, an empty balance or a ' +
      'feature that no rig has are `rejections` of the answer. It is true at this instant.',
  })
  @ApiBody(CHAT_BODY)
  @ApiOkResponse({ type: EstimateDto, description: 'The price, and what would refuse the chat.' })
  @Idempotent()
  async estimate(
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<EstimateDto> {
    const body = parseChatBody(request.body);
    return presentEstimate(
      await this.estimates.execute({
        accountId,
        body,
        routingMode: body.routing_mode,
        receivedAtMs: this.clock.now(),
        context: callerContext(request, { userId, credential }),
      }),
    );
  }
}
