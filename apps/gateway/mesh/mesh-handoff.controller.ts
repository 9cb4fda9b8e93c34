import { Body, Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ChangeTaskCommand } from '#areas/mesh/change-task.handler.js';
import { ClusterLeader } from '#areas/mesh/cluster-leader.port.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { MeshHandoffDto, MeshHandoffResultDto } from './mesh.dto.js';
import { presentHandoff } from './mesh.presenter.js';

@ApiTags('mesh')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/agents')
export class MeshHandoffController {
  constructor(
    private readonly commands: CommandBus,
    private readonly leader: ClusterLeader,
  ) {}

  @Post('mesh_handoff')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Hand a task to an agent',
    description:
      'Gives the target agent a lease on the task under a new, higher `fencing_token`. A task ' +
      'without a holder (new, released, or with an ended lease) goes to any agent. A task with a ' +
      'holder is handed on by the holder alone: `source_agent` with the current ' +
      '`fencing_token`. The agent keeps the lease by heartbeats, and completes the task with ' +
      'its token. Whatever accepts work of agents should reject a token below the highest it ' +
      'has seen.',
  })
  @ApiOkResponse({
    type: MeshHandoffResultDto,
    description: 'The task and the lease of its agent.',
  })
  @FailsWith(
    'mesh_task_not_found',
    'mesh_task_completed',
    'mesh_lease_held',
    'mesh_token_stale',
    'mesh_not_holder',
    'mesh_handoffs_exhausted',
  )
  async handOff(
    @Body() body: MeshHandoffDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<MeshHandoffResultDto> {
    const taskId = body.task_id ?? derivedId('mesh-task', request.id);
    const data = {
      accountId,
      taskId,
      handoffId: request.id,
      fromAgent: body.source_agent ?? null,
      toAgent: body.target_agent,
      token: body.fencing_token ?? null,
      ttlSeconds: body.lease_ttl_sec,
      contextRef: body.context_ref ?? null,
    };
    const context = contextOf(request.id, `user:${userId}`);
    const change = { type: 'HandOffTask', data } as const;
    const changed = await this.commands.execute(new ChangeTaskCommand(change, context));
    return presentHandoff(taskId, changed, await this.leader.current());
  }
}
