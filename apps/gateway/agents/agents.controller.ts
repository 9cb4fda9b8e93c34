import {
  Body,
  Controller,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AgentSessionQuery, AgentSessionsQuery } from '#areas/agents/agent.queries.js';
import { AgentHistoryQuery } from '#areas/agents/agent-history.handler.js';
import { CancelAgentCommand } from '#areas/agents/cancel-agent.handler.js';
import { OrchestrateAgentCommand } from '#areas/agents/orchestrate-agent.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import { callerContext } from '../identity/caller-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { StreamEnds } from '../sse/stream-ends.js';
import {
  AgentSessionDto,
  AgentSessionListDto,
  AgentSessionsPageDto,
  OpenedAgentSessionDto,
  OrchestrateAgentDto,
} from './agents.dto.js';
import { presentOpenedSession, presentSession, presentSessions } from './agents.presenter.js';

/** Agent sessions: a model plans, this gateway's tools do the work. */
@ApiTags('agents')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/agents')
export class AgentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly ends: StreamEnds,
  ) {}

  @Post('orchestrate')
  @HttpCode(HttpStatus.OK)
  @Idempotent()
  @ApiOperation({
    summary: 'Have an agent reach a goal',
    description:
      'The planner calls one tool at a time until it answers, or a budget is exhausted. The ' +
      'worst case of the planner is held at the start, of a tool before each call. Without ' +
      '`async` the answer comes when the session has ended; a session that lasts longer than a ' +
      'request may continues, and is answered with 202.',
  })
  @ApiOkResponse({ type: AgentSessionDto, description: 'The session has ended.' })
  @ApiAcceptedResponse({ type: AgentSessionDto, description: 'The session continues.' })
  @FailsWith(
    'insufficient_balance',
    'budget_exceeded',
    'agent_planner_not_found',
    'agent_tool_unknown',
    'too_many_jobs',
  )
  async orchestrate(
    @Body() body: OrchestrateAgentDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AgentSessionDto> {
    const order = {
      accountId,
      userId,
      goal: body.goal,
      plannerModel: body.planner_model,
      stepsMax: body.max_steps,
      tokensMax: body.max_token_budget,
      tools: body.tools ?? null,
    };
    const context = callerContext(request, { userId, credential });
    const sessionId = await this.commands.execute(new OrchestrateAgentCommand(order, context));
    const reader = { accountId };
    if (!body.async) {
      const history = new AgentHistoryQuery(sessionId, reader, null);
      await this.ends.wait(await this.queries.execute(history), reply);
    }
    const session = await this.queries.execute(new AgentSessionQuery(sessionId, reader));
    if (session.document.end === null) void reply.status(HttpStatus.ACCEPTED);
    return presentSession(session);
  }

  @Get('sessions')
  @ApiOperation({ summary: 'List the agent sessions', description: 'Newest first, in pages.' })
  @ApiOkResponse({ type: AgentSessionListDto, description: 'A page of sessions.' })
  @FailsWith('agent_cursor_unknown')
  async list(
    @Query() { after, limit }: AgentSessionsPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<AgentSessionListDto> {
    const query = new AgentSessionsQuery(accountId, limit, after ?? null);
    return presentSessions(await this.queries.execute(query));
  }

  @Get('sessions/:id')
  @ApiOperation({
    summary: 'Get an agent session',
    description: 'With its transcript. The account of the session and an Admin see it.',
  })
  @ApiParam({ name: 'id', description: 'The id of the session.' })
  @ApiOkResponse({ type: OpenedAgentSessionDto, description: 'The session and its steps.' })
  @FailsWith('agent_session_not_found')
  retrieve(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
  ): Promise<OpenedAgentSessionDto> {
    return this.#show(id, readerOf(caller));
  }

  @Post('sessions/:id/cancel')
  @HttpCode(HttpStatus.OK)
  @Idempotent()
  @ApiOperation({
    summary: 'Cancel an agent session',
    description:
      'A session that runs is asked to stop, and is cancelled soon; what it has used is charged. ' +
      'An ended session stays as it is.',
  })
  @ApiParam({ name: 'id', description: 'The id of the session.' })
  @ApiOkResponse({
    type: OpenedAgentSessionDto,
    description: 'The session after the cancellation.',
  })
  @FailsWith('agent_session_not_found')
  async cancel(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<OpenedAgentSessionDto> {
    const context = contextOf(request.id, `user:${caller.userId}`);
    const reader = readerOf(caller);
    await this.commands.execute(new CancelAgentCommand(id, reader, context));
    return this.#show(id, reader);
  }

  async #show(id: string, reader: Reader): Promise<OpenedAgentSessionDto> {
    return presentOpenedSession(await this.queries.execute(new AgentSessionQuery(id, reader)));
  }
}
