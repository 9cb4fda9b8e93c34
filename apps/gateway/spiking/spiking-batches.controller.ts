import { Body, Controller, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
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
import { JobQuery } from '#areas/jobs/job.queries.js';
import { SubmitSpikingBatchCommand } from '#areas/spiking/batches/submit-spiking-batch.handler.js';
import { SpikingBatchItemsQuery } from '#areas/spiking/batches/spiking-batch.query.js';
import { reject } from '#areas/spiking/spiking.errors.js';
import { JobId } from '#events/jobs/job.events.js';
import { SPIKING_BATCH_JOB } from '#events/spiking/spiking-batch.job.js';
import { callerContext } from '../identity/caller-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { batchAskedOf } from './spiking.body.js';
import { SubmitBatchDocs } from './spiking.docs.js';
import { SpikingBatchDto } from './spiking.dto.js';
import { presentBatch } from './spiking.presenter.js';

/** Runs of spiking networks, many at a time. */
@ApiTags('spiking')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/snn/batches')
export class SpikingBatchesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(202)
  @Idempotent()
  @SubmitBatchDocs()
  @ApiAcceptedResponse({ type: SpikingBatchDto, description: 'The batch, which runs.' })
  @FailsWith(
    'insufficient_balance',
    'budget_exceeded',
    'snn_model_missing',
    'snn_mode_unknown',
    'snn_mode_mismatch',
    'snn_neuron_unsupported',
    'snn_input_invalid',
    'snn_model_unknown',
    'snn_mode_untrained',
    'snn_not_priced',
    'too_many_jobs',
  )
  async submit(
    @Body() sent: unknown,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<SpikingBatchDto> {
    const { accountId, userId, credential } = caller;
    const order = { ...batchAskedOf(sent), accountId };
    const context = callerContext(request, { userId, credential });
    const id = await this.commands.execute(new SubmitSpikingBatchCommand(order, context));
    return this.#show(id, caller);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Get a batch of spiking runs',
    description: 'Its state, and the results of the finished inputs.',
  })
  @ApiParam({ name: 'id', description: 'The id of its job.' })
  @ApiOkResponse({ type: SpikingBatchDto, description: 'The batch.' })
  @FailsWith('snn_batch_not_found', 'job_not_found', 'job_result_gone')
  retrieve(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<SpikingBatchDto> {
    return this.#show(id, caller);
  }

  async #show(id: string, caller: Caller): Promise<SpikingBatchDto> {
    const job = await this.queries.execute(new JobQuery(id, readerOf(caller)));
    if (job.type !== SPIKING_BATCH_JOB) {
      return reject('snn_batch_not_found', 'the job with this id is no batch of spiking runs');
    }
    const items = new SpikingBatchItemsQuery(JobId.parse(job.jobId));
    return presentBatch(job, await this.queries.execute(items));
  }
}
