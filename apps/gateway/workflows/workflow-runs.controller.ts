import {
  Body,
  Controller,
  Get,
  HttpCode,
  HttpStatus,
  Inject,
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
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ChangeRunCommand } from '#areas/workflows/runs/change-run.handler.js';
import { RunHistoryQuery } from '#areas/workflows/runs/run-history.handler.js';
import { RunQuery, RunsQuery } from '#areas/workflows/runs/run.queries.js';
import { StartRunCommand } from '#areas/workflows/runs/start-run.handler.js';
import { type Clock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { HttpFailure } from '../errors/http-failure.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { StreamEnds } from '../sse/stream-ends.js';
import {
  DecideApprovalDto,
  NodeResultDto,
  RunListDto,
  RunsPageDto,
  RunWorkflowDto,
  WorkflowRunDto,
} from './workflows.dto.js';
import { presentRun, presentRuns } from './workflows.presenter.js';

/** The runs of workflows. */
@ApiTags('workflows')
@ApiExtraModels(NodeResultDto)
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/workflows')
export class WorkflowRunsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly ends: StreamEnds,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('run')
  @HttpCode(HttpStatus.OK)
  @Idempotent()
  @ApiOperation({
    summary: 'Run a workflow',
    description:
      'Holds what is known of the worst case and begins. With `async` the answer comes at once, ' +
      'as 202; otherwise when the run has ended and is charged. A run that takes longer than a ' +
      'request may is answered with 202 as well, and continues.',
  })
  @ApiOkResponse({ type: WorkflowRunDto, description: 'The run, which has ended.' })
  @ApiAcceptedResponse({ type: WorkflowRunDto, description: 'The run, which has begun.' })
  @FailsWith(
    'insufficient_balance',
    'budget_exceeded',
    'workflow_not_found',
    'workflow_version_not_found',
    'workflow_definition_gone',
    'workflow_inputs_invalid',
    'too_many_workflow_runs',
  )
  async run(
    @Body() body: RunWorkflowDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WorkflowRunDto> {
    const { accountId, userId, credential } = caller;
    const inputs = textsOf(body.inputs);
    const context = callerContext(request, { userId, credential });
    const { workflow_id: workflowId, version = null } = body;
    const order = { accountId, workflowId, version, inputs, context };
    const runId = await this.commands.execute(new StartRunCommand(order));
    if (!body.async) {
      const history = new RunHistoryQuery(runId, readerOf(caller), null);
      await this.ends.wait(await this.queries.execute(history), reply);
    }
    const run = await this.#show(runId, caller);
    if (run.ended_at === null) void reply.status(HttpStatus.ACCEPTED);
    return run;
  }

  @Get('runs')
  @ApiOperation({ summary: 'List the runs', description: 'Newest first, in pages.' })
  @ApiOkResponse({ type: RunListDto, description: 'A page of runs.' })
  async list(
    @Query() { after, limit }: RunsPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<RunListDto> {
    return presentRuns(await this.queries.execute(new RunsQuery(accountId, limit, after ?? null)));
  }

  @Get('runs/:id')
  @ApiOperation({
    summary: 'Get a run',
    description: 'Its state, its nodes with their measurements and results, and its charge.',
  })
  @ApiParam({ name: 'id', description: 'The id of the run.' })
  @ApiOkResponse({ type: WorkflowRunDto, description: 'The run.' })
  @FailsWith('workflow_run_not_found')
  retrieve(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<WorkflowRunDto> {
    return this.#show(id, caller);
  }

  @Post('runs/:id/cancel')
  @HttpCode(HttpStatus.OK)
  @Idempotent()
  @ApiOperation({
    summary: 'Cancel a run',
    description:
      'Nodes that have not ended are cancelled at once. A call that its tool has accepted is ' +
      'charged as a chat whose caller leaves. An ended run stays as it is.',
  })
  @ApiParam({ name: 'id', description: 'The id of the run.' })
  @ApiOkResponse({ type: WorkflowRunDto, description: 'The run after the cancellation.' })
  @FailsWith('workflow_run_not_found')
  async cancel(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<WorkflowRunDto> {
    const context = contextOf(request.id, `user:${caller.userId}`);
    await this.commands.execute(new ChangeRunCommand(id, readerOf(caller), 'cancel', context));
    return this.#show(id, caller);
  }

  @Post('runs/:id/approvals/:node')
  @HttpCode(HttpStatus.OK)
  @Idempotent()
  @ApiOperation({
    summary: 'Decide an approval',
    description: 'The node succeeds when it is approved, and fails when it is rejected.',
  })
  @ApiParam({ name: 'id', description: 'The id of the run.' })
  @ApiParam({ name: 'node', description: 'The name of the node that waits for the decision.' })
  @ApiOkResponse({ type: WorkflowRunDto, description: 'The run after the decision.' })
  @FailsWith(
    'workflow_run_not_found',
    'workflow_approval_not_found',
    'workflow_approval_decided',
    'workflow_run_ended',
  )
  async decide(
    @Param('id') id: string,
    @Param('node') node: string,
    @Body() { approved: isApproved }: DecideApprovalDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<WorkflowRunDto> {
    const context = contextOf(request.id, `user:${caller.userId}`);
    const change = { node, isApproved };
    await this.commands.execute(new ChangeRunCommand(id, readerOf(caller), change, context));
    return this.#show(id, caller);
  }

  async #show(id: string, caller: Caller): Promise<WorkflowRunDto> {
    const shown = await this.queries.execute(new RunQuery(id, readerOf(caller)));
    return presentRun(shown, this.clock.now());
  }
}

const textsOf = (inputs: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> => {
  const entries = Object.entries(inputs).map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const;
    const param = `inputs.${name}`;
    const message = `${param} must be a string`;
    throw new HttpFailure({ status: 400, code: 'invalid_request', message, param });
  });
  return Object.fromEntries(entries);
};
