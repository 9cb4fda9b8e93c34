import { Body, Controller, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { InferAdapterCommand } from '#areas/adapters/infer-adapter.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { REQUEST_LIMITS, type RequestLimits } from '#areas/inference/ports.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { costHeaders } from '../inference/chat.headers.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { RIG_CODES } from '../inference/chat.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { AdapterAnswerDto, InferAdapterDto } from './adapters.dto.js';
import { presentAnswer } from './adapters.presenter.js';

/** Prompts for a model with an adapter. */
@ApiTags('adapters')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/adapters')
export class AdaptersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly requests: OpenRequests,
    @Inject(REQUEST_LIMITS) private readonly limits: RequestLimits,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('infer')
  @HttpCode(200)
  @Idempotent({ settle: PaidSettler })
  @ApiOperation({
    summary: 'Answer a prompt with an adapter',
    description:
      'A chat of one message with the base model, at its price, with a low-rank adapter on its ' +
      'weights. `POST /v1/chat/completions` takes the same adapter in the field `adapter`. A ' +
      'caller that leaves does not end the answer.',
  })
  @ApiOkResponse({ type: AdapterAnswerDto, description: 'The answer.' })
  @FailsWith(
    'adapter_not_found',
    'adapter_base_mismatch',
    'adapter_base_unknown',
    'adapter_base_unsuitable',
    ...RIG_CODES,
  )
  async infer(
    @Body() body: InferAdapterDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AdapterAnswerDto> {
    const order = {
      accountId,
      receivedAtMs: this.clock.now(),
      context: callerContext(request, { userId, credential }),
      adapterId: body.adapter_id,
      prompt: body.prompt,
      system: body.system ?? null,
      baseModel: body.base_model ?? null,
      maxTokens: body.max_tokens ?? null,
      temperature: body.temperature ?? null,
      seed: body.seed ?? null,
      ...(attempt && { confirm: attempt.confirm }),
    };
    const open = this.requests.open(this.limits.requestMsMax);
    try {
      const answer = await this.commands.execute(new InferAdapterCommand(order, open.signal));
      void reply.headers(costHeaders(answer.entry));
      return presentAnswer(request.id, answer);
    } finally {
      open.close();
    }
  }
}
