import { Body, Controller, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ConsensusChats } from '#areas/swarm/consensus/consensus-chats.js';
import { costTreeHeader } from '#areas/swarm/consensus/consensus-report.js';
import { SpeculativeChats } from '#areas/swarm/speculative/speculative-chats.js';
import { SWARM_SETTINGS, type SwarmSettings } from '#areas/swarm/swarm.settings.js';
import { type SwarmAnswer, type SwarmStream, wholeAnswer } from '#areas/swarm/swarm-stream.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
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
import { consensusAsked, speculativeAsked } from './swarm.body.js';
import { ConsensusDocs, SpeculativeDocs } from './swarm.docs.js';
import { ConsensusAnswerDto, SpeculativeAnswerDto } from './swarm.dto.js';
import { presentConsensus, presentSpeculative } from './swarm.presenter.js';

/** Language models that work together on one answer. */
@ApiTags('swarm')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/swarm')
export class SwarmController {
  constructor(
    private readonly speculative: SpeculativeChats,
    private readonly consensus: ConsensusChats,
    private readonly requests: OpenRequests,
    @Inject(SWARM_SETTINGS) private readonly settings: SwarmSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('vllm_orchestrate')
  @HttpCode(200)
  @SpeculativeDocs()
  @Idempotent({ settle: PaidSettler })
  @ApiOkResponse({
    type: SpeculativeAnswerDto,
    description: 'The answer and the telemetry of the draft.',
  })
  @FailsWith(
    'swarm_model_unknown',
    'draft_model_missing',
    'draft_model_unknown',
    'draft_model_unsuitable',
    'swarm_field_unsupported',
    'swarm_context_exceeded',
    'swarm_failed',
    'swarm_busy',
    'swarm_unavailable',
    ...RIG_CODES,
  )
  async speculate(
    @Body() sent: unknown,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<SpeculativeAnswerDto> {
    const order = { ...this.#callerOf(caller, request, attempt), ...speculativeAsked(sent) };
    const answer = await this.#whole(reply, (signal) => this.speculative.begin(order, signal));
    void reply.headers(costHeaders(answer.entry));
    return presentSpeculative(request.id, answer);
  }

  @Post('moa_consensus')
  @HttpCode(200)
  @ConsensusDocs()
  @Idempotent({ settle: PaidSettler })
  @ApiOkResponse({ type: ConsensusAnswerDto, description: 'The consensus and its members.' })
  @FailsWith(
    'synthesis_model_unknown',
    'member_model_unknown',
    'consensus_failed',
    'swarm_field_unsupported',
    'swarm_context_exceeded',
    'swarm_failed',
    'swarm_busy',
    'swarm_unavailable',
    ...RIG_CODES,
  )
  async agree(
    @Body() sent: unknown,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<ConsensusAnswerDto> {
    const order = { ...this.#callerOf(caller, request, attempt), ...consensusAsked(sent) };
    const answer = await this.#whole(reply, (signal) => this.consensus.begin(order, signal));
    void reply.headers({ ...costHeaders(answer.entry), ...costTreeHeader(answer.report) });
    return presentConsensus(request.id, answer);
  }

  #callerOf(
    caller: Caller,
    request: FastifyRequest,
    attempt: RequestAttempt | undefined,
  ): PaidOrder {
    return {
      accountId: caller.accountId,
      receivedAtMs: this.clock.now(),
      context: callerContext(request, caller),
      ...(attempt && { confirm: attempt.confirm }),
    };
  }

  #whole<Report>(
    { raw }: FastifyReply,
    begin: (signal: AbortSignal) => Promise<SwarmStream<Report>>,
  ): Promise<SwarmAnswer<Report>> {
    const { requestMsMax } = this.settings;
    return this.requests.whileConnected(raw, requestMsMax, async ({ signal }) =>
      wholeAnswer(await begin(signal)),
    );
  }
}
