import { Controller, Get, HttpCode, Inject, Param, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { ChangeRigCommand } from '#areas/fleet/change-rig.handler.js';
import { type FleetErrorCode } from '#areas/fleet/fleet.errors.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type RigsErrorCode } from '#areas/rigs/rigs.errors.js';
import { SubmitCertificationCommand } from '#areas/rigs/submit-certification.handler.js';
import { RigName } from '#events/catalog/rate-card.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { CertificationSubmittedDto, RigListDto } from './rigs.dto.js';
import { RigDrainDto, RigFoundDto } from './rig-detail.dto.js';
import { RigViews } from './rig-views.js';

@ApiTags('rigs')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/rigs')
export class RigsController {
  constructor(
    private readonly views: RigViews,
    private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'List the rigs',
    description:
      'The rigs of the catalog with their last certification, and the rigs that workers have ' +
      'registered. A worker’s rig that is lost or has stopped is listed for a day.',
  })
  @ApiOkResponse({ type: RigListDto, description: 'The rigs.' })
  async list(): Promise<RigListDto> {
    return { success: true, rigs: await this.views.list() };
  }

  @Get(':id')
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'Get a rig',
    description:
      'One rig of the catalog or of a worker, with its telemetry, its history and its last ' +
      'certification.',
  })
  @ApiParam({ name: 'id', description: 'The name of the rig.', example: 'built-in' })
  @ApiOkResponse({ type: RigFoundDto, description: 'The rig.' })
  @FailsWith('rig_not_found', 'worker_rig_not_found')
  async find(@Param('id') id: string): Promise<RigFoundDto> {
    // A name that no rig may have is not looked up: a read store may not take it for a key.
    const rig = RigName.safeParse(id).success ? await this.views.find(id) : null;
    if (!rig) throw workerRigNotFound(`there is no rig ${id}`);
    return { success: true, rig };
  }

  @Post(':id/drain')
  @Scope('operate')
  @HttpCode(202)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @Idempotent()
  @ApiOperation({
    summary: 'Drain a rig',
    description:
      'Only for an Admin, and for the rig of a worker: it finishes what runs and takes no more ' +
      'tasks, until its worker is started again. `state` is `draining` until the last task ends.',
  })
  @ApiParam({ name: 'id', description: 'The name of the rig.', example: 'worker-0123456789abcdef' })
  @ApiAcceptedResponse({
    type: RigDrainDto,
    description: 'The rig accepts no more requests and ends its open ones.',
  })
  @FailsWith('worker_rig_not_found', 'rig_not_up')
  async drain(
    @Param('id') id: string,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<RigDrainDto> {
    if (!RigName.safeParse(id).success) throw workerRigNotFound(`there is no rig ${id}`);
    const data = { rig: id, requestedAt: instant(this.clock) };
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new ChangeRigCommand({ type: 'DrainRig', data }, context));
    const state = (await this.views.find(id))?.state === 'drained' ? 'drained' : 'draining';
    return { success: true, rig: id, state };
  }

  @Post(':name/certifications')
  @Scope('operate')
  @HttpCode(202)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @Idempotent()
  @ApiOperation({
    summary: 'Certify a rig',
    description:
      'Only for an Admin. Submits a job that measures the rig, free of charge and behind the ' +
      'requests of callers. Its result becomes the certification of the rig. The rig of a worker ' +
      'must be up.',
  })
  @ApiParam({ name: 'name', description: 'The name of the rig.', example: 'built-in' })
  @ApiAcceptedResponse({
    type: CertificationSubmittedDto,
    description: 'The job that certifies the rig.',
  })
  @FailsWith('rig_not_found', 'rig_not_up')
  async certify(
    @Param('name') name: string,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CertificationSubmittedDto> {
    await this.#rejectAbsent(name);
    const context = contextOf(request.id, `user:${userId}`);
    const jobId = await this.commands.execute(new SubmitCertificationCommand(name, context));
    return { success: true, rig: name, job_id: jobId };
  }

  async #rejectAbsent(name: string): Promise<void> {
    const rig = RigName.safeParse(name).success ? await this.views.find(name) : null;
    if (!rig) throw rigNotFound(name);
    if (rig.source === 'catalog' || rig.state === 'up') return;
    throw new DomainError<FleetErrorCode>('rig_not_up', `rig ${name} is ${rig.state}`);
  }
}

const workerRigNotFound = (message: string): DomainError =>
  new DomainError<FleetErrorCode>('worker_rig_not_found', message);

const rigNotFound = (name: string): DomainError =>
  new DomainError<RigsErrorCode>('rig_not_found', `there is no rig ${name}`);
