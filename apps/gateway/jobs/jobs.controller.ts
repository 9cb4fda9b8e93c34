import { Controller, Get, HttpCode, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { CancelJobCommand } from '#areas/jobs/cancel-job.handler.js';
import { JobQuery, JobsQuery } from '#areas/jobs/job.queries.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { insufficientRole } from '../identity/identity.failures.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { JobAnswerDto, JobListDto, JobsPageDto } from './jobs.dto.js';
import { answerOf, presentJobs } from './jobs.presenter.js';

const ADMIN = 'Admin';

/** The jobs of an account, whatever their type. */
@ApiTags('jobs')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/jobs')
export class JobsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the jobs',
    description:
      'Newest first, in pages. A page by state may have fewer jobs than its limit; it is the ' +
      'last one when `next_after` is null.',
  })
  @ApiOkResponse({ type: JobListDto, description: 'A page of jobs.' })
  @FailsWith('job_cursor_unknown', 'insufficient_role')
  async list(
    @Query() { type, state, account_id, after, limit }: JobsPageDto,
    @CurrentCaller() { accountId: own, role }: Caller,
  ): Promise<JobListDto> {
    const accountId = account_id ?? own;
    if (accountId !== own && role !== ADMIN) throw insufficientRole([ADMIN]);
    const filter = { type: type ?? null, status: state ?? null };
    const page = { limit, after: after ?? null };
    return presentJobs(await this.queries.execute(new JobsQuery(accountId, filter, page)));
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Get a job',
    description:
      'Its state, its progress and the reference of its result. The account of the job and an ' +
      'Admin see it.',
  })
  @ApiParam({ name: 'id', description: 'The id of the job.' })
  @ApiOkResponse({ type: JobAnswerDto, description: 'The job.' })
  @FailsWith('job_not_found')
  async retrieve(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<JobAnswerDto> {
    return this.#show(id, caller);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Cancel a job',
    description:
      'A job that waits is cancelled at once. One that runs is asked to stop, and is cancelled ' +
      'soon. An ended job stays as it is.',
  })
  @ApiParam({ name: 'id', description: 'The id of the job.' })
  @ApiOkResponse({ type: JobAnswerDto, description: 'The job after the cancellation.' })
  @FailsWith('job_not_found')
  async cancel(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<JobAnswerDto> {
    const context = contextOf(request.id, `user:${caller.userId}`);
    await this.commands.execute(new CancelJobCommand(id, readerOf(caller), context));
    return this.#show(id, caller);
  }

  async #show(id: string, caller: Caller): Promise<JobAnswerDto> {
    return answerOf(await this.queries.execute(new JobQuery(id, readerOf(caller))));
  }
}
