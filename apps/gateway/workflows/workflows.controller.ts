import { Body, Controller, Get, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  StoreDefinitionCommand,
  type StoredVersion,
} from '#areas/workflows/definition/store-definition.handler.js';
import {
  NodeKindsQuery,
  WorkflowQuery,
  WorkflowsQuery,
} from '#areas/workflows/definition/workflow.queries.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  AddWorkflowVersionDto,
  CreateWorkflowDto,
  NodeKindsDto,
  StoredWorkflowDto,
  WorkflowDetailsDto,
  WorkflowIdDto,
  WorkflowListDto,
  WorkflowVersionDto,
} from './workflows.dto.js';
import { presentDetails, presentWorkflow } from './workflows.presenter.js';

/** The definitions of workflows. */
@ApiTags('workflows')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/workflows')
export class WorkflowsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: 'Create a workflow',
    description:
      'Checks the definition as a whole: names, kinds, parameters, edges, cycles, references. A ' +
      'definition with a fault is refused, and the message names the fields.',
  })
  @ApiCreatedResponse({
    type: StoredWorkflowDto,
    description: 'The workflow and its first version.',
  })
  @FailsWith('workflow_name_taken', 'too_many_workflows', 'workflow_invalid')
  async create(
    @Body() { name, definition }: CreateWorkflowDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StoredWorkflowDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new StoreDefinitionCommand(accountId, { name }, definition, context);
    return presentStored(await this.commands.execute(command));
  }

  @Post(':id/versions')
  @Idempotent()
  @ApiOperation({
    summary: 'Add a version',
    description: 'Runs that go on keep their version; new runs take the newest one.',
  })
  @ApiCreatedResponse({ type: StoredWorkflowDto, description: 'The workflow and its new version.' })
  @FailsWith('workflow_not_found', 'too_many_workflow_versions', 'workflow_invalid')
  async addVersion(
    @Param() { id: workflowId }: WorkflowIdDto,
    @Body() { definition }: AddWorkflowVersionDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StoredWorkflowDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new StoreDefinitionCommand(accountId, { workflowId }, definition, context);
    return presentStored(await this.commands.execute(command));
  }

  @Get()
  @ApiOperation({ summary: 'List the workflows', description: 'Those of the account, by id.' })
  @ApiOkResponse({ type: WorkflowListDto, description: 'The workflows.' })
  async list(@CurrentCaller() { accountId }: Caller): Promise<WorkflowListDto> {
    const workflows = await this.queries.execute(new WorkflowsQuery(accountId));
    return { success: true, workflows: workflows.map(presentWorkflow) };
  }

  @Get('node_kinds')
  @ApiOperation({
    summary: 'List the kinds of nodes',
    description: 'Every tool of this gateway, and the kinds that steer a run.',
  })
  @ApiOkResponse({ type: NodeKindsDto, description: 'The kinds of nodes and their parameters.' })
  async kinds(): Promise<NodeKindsDto> {
    const kinds = await this.queries.execute(new NodeKindsQuery());
    return {
      success: true,
      kinds: kinds.map(({ callsTool, ...kind }) => ({ ...kind, calls_tool: callsTool })),
    };
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Get a workflow',
    description: 'The definition of its newest version, or of another one.',
  })
  @ApiOkResponse({
    type: WorkflowDetailsDto,
    description: 'The workflow and the definition of the version.',
  })
  @FailsWith('workflow_not_found', 'workflow_version_not_found', 'workflow_definition_gone')
  async retrieve(
    @Param() { id: workflowId }: WorkflowIdDto,
    @Query() { version }: WorkflowVersionDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<WorkflowDetailsDto> {
    const query = new WorkflowQuery(accountId, workflowId, version ?? null);
    return presentDetails(await this.queries.execute(query));
  }
}

const presentStored = ({ workflow, version }: StoredVersion): StoredWorkflowDto => {
  const { workflowId, name } = workflow;
  return { success: true, workflow_id: workflowId, name, version };
};
