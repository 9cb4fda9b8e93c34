import { Body, Controller, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type PipelineOrder } from '#areas/sharding/pipeline-order.js';
import { TEMPERATURE_DEFAULT } from '#platform/chats/chat-defaults.js';
import { RunPipelineCommand } from '#areas/sharding/run-pipeline.handler.js';
import { SHARDING_SETTINGS, type ShardingSettings } from '#areas/sharding/sharding.settings.js';
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
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { OrchestratePipelineDto, PipelineAnswerDto } from './pipeline.dto.js';
import { presentAnswer } from './pipeline.presenter.js';

/** Chats of sharded pipelines. */
@ApiTags('sharding')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/swarm')
export class PipelineController {
  constructor(
    private readonly commands: CommandBus,
    private readonly requests: OpenRequests,
    @Inject(SHARDING_SETTINGS) private readonly settings: ShardingSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('pipeline_orchestrator')
  @HttpCode(200)
  @Idempotent({ settle: PaidSettler })
  @ApiOperation({
    summary: 'Chat with a model whose layers are divided among processes',
    description:
      'Each stage holds a contiguous range of layers; hidden states travel over WebSockets. The ' +
      'text equals the text of the undivided model to the bit. The worst case is held before any ' +
      'work, and the tokens are charged at the price of the model. A lost stage is replaced by a ' +
      'standby, and the text continues; without one the request fails and is free. A ' +
      'caller that leaves pays for the tokens until then. `routing_mode: sharded_pipeline` of a ' +
      'chat does the same, as a stream, too.',
  })
  @ApiOkResponse({
    type: PipelineAnswerDto,
    description: 'The answer and the stages that gave it.',
  })
  @FailsWith(
    'pipeline_model_unknown',
    'pipeline_model_unsupported',
    'pipeline_prompt_too_long',
    'pipeline_max_tokens_above_context',
    'pipeline_field_unsupported',
    'pipeline_busy',
    'pipeline_transport_unavailable',
    'pipeline_stage_lost',
    'pipeline_failed',
    'pipeline_unavailable',
    'request_timed_out',
  )
  async orchestrate(
    @Body() body: OrchestratePipelineDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<PipelineAnswerDto> {
    const order: PipelineOrder = {
      ...askedIn(body),
      accountId,
      receivedAtMs: this.clock.now(),
      context: callerContext(request, { userId, credential }),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const answer = await this.requests.whileConnected(
      reply.raw,
      this.settings.requestMsMax,
      ({ signal }) => this.commands.execute(new RunPipelineCommand(order, signal)),
    );
    void reply.headers(costHeaders(answer.entry));
    return presentAnswer(order, answer);
  }
}

const askedIn = (body: OrchestratePipelineDto) => ({
  model: body.model,
  messages: body.messages.map(({ role, content }) => ({ role, content })),
  transport: body.transport ?? 'websocket',
  maxTokens: body.max_tokens ?? null,
  temperature: body.temperature ?? TEMPERATURE_DEFAULT,
  topP: body.top_p ?? null,
  seed: body.seed ?? null,
  stop: body.stop ?? [],
});
