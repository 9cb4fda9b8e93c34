import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { InferSpikesCommand } from '#areas/spiking/infer-spikes.handler.js';
import { SpikingModels } from '#areas/spiking/spiking-models.js';
import { SPIKING_SETTINGS, type SpikingSettings } from '#areas/spiking/spiking.settings.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { AcceptsFormFields } from '../bodies/form-fields.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { costHeaders } from '../inference/chat.headers.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { SpikingAnswerDto } from './spiking-answer.dto.js';
import { inferAskedOf } from './spiking.body.js';
import { InferDocs } from './spiking.docs.js';
import { SpikingModelListDto } from './spiking.dto.js';
import { presentAnswer, presentModel } from './spiking.presenter.js';

/** Runs of spiking networks, one at a time. */
@ApiTags('spiking')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/snn')
export class SpikingController {
  constructor(
    private readonly commands: CommandBus,
    private readonly models: SpikingModels,
    private readonly requests: OpenRequests,
    @Inject(SPIKING_SETTINGS) private readonly settings: SpikingSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('models')
  @ApiOperation({
    summary: 'List the spiking networks',
    description: 'Each with its task, its score on held-out examples and an example of an input.',
  })
  @ApiOkResponse({ type: SpikingModelListDto, description: 'The networks.' })
  list(): SpikingModelListDto {
    return { success: true, models: this.models.list.map(presentModel) };
  }

  @Post('infer')
  @HttpCode(200)
  @AcceptsFormFields()
  @InferDocs()
  @Idempotent({ settle: PaidSettler })
  @ApiOkResponse({ type: SpikingAnswerDto, description: 'The classification and its telemetry.' })
  @FailsWith(
    'snn_model_missing',
    'snn_mode_unknown',
    'snn_mode_mismatch',
    'snn_neuron_unsupported',
    'snn_input_invalid',
    'snn_model_unknown',
    'snn_mode_untrained',
    'snn_not_priced',
    'snn_failed',
    'snn_busy',
    'snn_unavailable',
    'request_timed_out',
  )
  async infer(
    @Body() sent: unknown,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<SpikingAnswerDto> {
    const receivedAtMs = this.clock.now();
    const asked = inferAskedOf(sent);
    const order = {
      ...asked,
      accountId,
      receivedAtMs,
      context: callerContext(request, { userId, credential }),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const answer = await this.requests.whileConnected(reply.raw, this.settings.runMsMax, (open) => {
      open.outlive();
      return this.commands.execute(new InferSpikesCommand(order, open.signal));
    });
    void reply.headers(costHeaders(answer.entry));
    return presentAnswer(request.id, answer, asked);
  }
}
