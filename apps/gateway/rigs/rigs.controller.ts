import { Controller, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { RigStandingsQuery } from '#areas/rigs/certifications.queries.js';
import { MeasuredRigs } from '#areas/rigs/measured-rigs.port.js';
import { type RigsErrorCode } from '#areas/rigs/rigs.errors.js';
import { SubmitCertificationCommand } from '#areas/rigs/submit-certification.handler.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { ApplicationFailures } from '../openapi/failures.docs.js';
import { CertificationSubmittedDto, RigListDto } from './rigs.dto.js';
import { presentRigs } from './rigs.presenter.js';

@ApiTags('rigs')
@ApplicationFailures(401, 429, 503)
@UseGuards(ApiGuard)
@Controller('api/v1/rigs')
export class RigsController {
  constructor(
    private readonly rigs: MeasuredRigs,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'List the rigs',
    description: 'The rigs of the catalog, their models and their last certification.',
  })
  @ApiOkResponse({ type: RigListDto })
  async list(): Promise<RigListDto> {
    const rigs = this.rigs.rigs();
    const query = new RigStandingsQuery(rigs.map(({ name }) => name));
    return presentRigs(rigs, await this.queries.execute(query));
  }

  @Post(':name/certifications')
  @HttpCode(202)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @Idempotent()
  @ApiOperation({
    summary: 'Certify a rig',
    description:
      'Only for an Admin. Submits a job that measures the rig, free of charge and behind the ' +
      'requests of callers. Its result becomes the certification of the rig.',
  })
  @ApiParam({ name: 'name', description: 'The name of the rig in the catalog.' })
  @ApiAcceptedResponse({ type: CertificationSubmittedDto })
  @ApplicationFailures(403, 404, 413, 415)
  async certify(
    @Param('name') name: string,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CertificationSubmittedDto> {
    if (!this.rigs.rigs().some((rig) => rig.name === name)) throw rigNotFound(name);
    const context = contextOf(request.id, `user:${userId}`);
    const jobId = await this.commands.execute(new SubmitCertificationCommand(name, context));
    return { success: true, rig: name, job_id: jobId };
  }
}

const rigNotFound = (name: string): DomainError =>
  new DomainError<RigsErrorCode>('rig_not_found', `the catalog has no rig ${name}`);
