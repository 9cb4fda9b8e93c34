import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ChangeTaskCommand, type TaskChange } from '#areas/mesh/change-task.handler.js';
import { MeshTaskQuery, MeshTasksQuery } from '#areas/mesh/mesh-task.queries.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  MeshCompletionDto,
  MeshHolderDto,
  MeshLeaseDto,
  MeshTaskAnswerDto,
  MeshTaskIdDto,
  MeshTaskListDto,
  MeshTasksPageDto,
} from './mesh.dto.js';
import { presentLease, presentTaskAnswer, presentTasks } from './mesh.presenter.js';

/** The tasks of the account; an addition to the promised interface. */
@ApiTags('mesh')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/mesh/tasks')
export class MeshTasksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the tasks',
    description:
      'By id, in pages. A page with a filter may have fewer tasks than its limit; it is the last ' +
      'one when `next_after` is null.',
  })
  @ApiOkResponse({ type: MeshTaskListDto, description: 'A page of tasks.' })
  @FailsWith('mesh_cursor_invalid')
  async list(
    @Query() { agent, status, after, limit }: MeshTasksPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<MeshTaskListDto> {
    const filter = { agent: agent ?? null, status: status ?? null };
    const page = { limit, after: after ?? null };
    return presentTasks(await this.queries.execute(new MeshTasksQuery(accountId, filter, page)));
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Get a task',
    description: 'Its holder, its lease and its state, and the process that leads.',
  })
  @ApiOkResponse({ type: MeshTaskAnswerDto, description: 'The task.' })
  @FailsWith('mesh_task_not_found')
  async show(
    @Param() { id }: MeshTaskIdDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<MeshTaskAnswerDto> {
    return presentTaskAnswer(await this.queries.execute(new MeshTaskQuery(accountId, id)));
  }

  @Post(':id/heartbeat')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Keep a lease',
    description:
      'Renews the lease once a third of its time has passed; an earlier heartbeat changes ' +
      'nothing. `lease_expires_at` is the end in force. Send one at least every half of ' +
      '`lease_ttl_sec`. No lease is renewed beyond `renewable_until`, a day after its handoff.',
  })
  @ApiOkResponse({ type: MeshLeaseDto, description: 'The extended lease.' })
  @FailsWith(
    'mesh_task_not_found',
    'mesh_task_completed',
    'mesh_lease_expired',
    'mesh_lease_released',
    'mesh_token_stale',
    'mesh_not_holder',
  )
  heartbeat(
    @Param() { id }: MeshTaskIdDto,
    @Body() body: MeshHolderDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<MeshLeaseDto> {
    const data = leaseOf(caller, id, body);
    return this.#change({ type: 'RenewLease', data }, caller, request);
  }

  @Post(':id/complete')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Complete a task',
    description:
      'Accepted with the current token before the end of its lease alone; so a task is completed ' +
      'once, by one agent. The same completion again changes nothing.',
  })
  @ApiOkResponse({ type: MeshLeaseDto, description: 'The lease of the completed task.' })
  @FailsWith(
    'mesh_task_not_found',
    'mesh_task_completed',
    'mesh_lease_expired',
    'mesh_lease_released',
    'mesh_token_stale',
    'mesh_not_holder',
  )
  complete(
    @Param() { id }: MeshTaskIdDto,
    @Body() body: MeshCompletionDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<MeshLeaseDto> {
    const data = { ...leaseOf(caller, id, body), resultRef: body.result_ref ?? null };
    return this.#change({ type: 'CompleteTask', data }, caller, request);
  }

  @Post(':id/release')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Give a task back',
    description: 'The lease ends, and any agent may take the task by a handoff.',
  })
  @ApiOkResponse({ type: MeshLeaseDto, description: 'The lease that has ended.' })
  @FailsWith(
    'mesh_task_not_found',
    'mesh_task_completed',
    'mesh_lease_expired',
    'mesh_lease_released',
    'mesh_token_stale',
    'mesh_not_holder',
  )
  release(
    @Param() { id }: MeshTaskIdDto,
    @Body() body: MeshHolderDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<MeshLeaseDto> {
    const data = leaseOf(caller, id, body);
    return this.#change({ type: 'ReleaseLease', data }, caller, request);
  }

  async #change(
    change: Extract<TaskChange, { readonly data: { readonly agent: string } }>,
    { userId }: Caller,
    { id }: FastifyRequest,
  ): Promise<MeshLeaseDto> {
    const command = new ChangeTaskCommand(change, contextOf(id, `user:${userId}`));
    return presentLease(change.data.taskId, await this.commands.execute(command));
  }
}

const leaseOf = (
  { accountId }: Caller,
  taskId: string,
  { agent, fencing_token: token }: MeshHolderDto,
) => ({ accountId, taskId, agent, token });
