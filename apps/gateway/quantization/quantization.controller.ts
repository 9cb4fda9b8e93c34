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
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { JobHistoryQuery } from '#areas/jobs/job-history.handler.js';
import { JobQuery, JobsQuery } from '#areas/jobs/job.queries.js';
import { reject } from '#areas/quantization/quantization.errors.js';
import { QuantizationResultQuery } from '#areas/quantization/quantization.query.js';
import {
  QUANTIZATION_SETTINGS,
  type QuantizationSettings,
} from '#areas/quantization/quantization.settings.js';
import { QuantizeModelCommand } from '#areas/quantization/quantize-model.handler.js';
import { JobId } from '#events/jobs/job.events.js';
import { QUANTIZATION_JOB } from '#events/quantization/quantization.job.js';
import { type JobRecord } from '#projections/jobs/jobs.projection.js';
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
  QuantizationJobDto,
  QuantizationListDto,
  QuantizationsPageDto,
  QuantizedTensorsDto,
  QuantizeDto,
} from './quantization.dto.js';
import { presentQuantization, presentTensors } from './quantization.presenter.js';

const BYTES_PER_MB = 1e6;

/** Models in fewer bits. */
@ApiTags('quantization')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/quantize')
export class QuantizationController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly ends: StreamEnds,
    @Inject(QUANTIZATION_SETTINGS) private readonly settings: QuantizationSettings,
  ) {}

  @Post('bitnet.php')
  @HttpCode(HttpStatus.OK)
  @Idempotent()
  @ApiOperation({
    summary: 'Quantize a model',
    description:
      'Rounds the weights of a model to fewer bits, measures the result on a held-out text, and ' +
      'makes it a model of the account, which chats reach by its name. It is a job: when it ' +
      'takes longer than QUIPU_QUANTIZE_WAIT_SECONDS, the answer is 202 with the state `queued`.',
  })
  @ApiOkResponse({ type: QuantizationJobDto, description: 'The quantization has ended.' })
  @ApiAcceptedResponse({ type: QuantizationJobDto, description: 'The job continues.' })
  @FailsWith(
    'insufficient_balance',
    'budget_exceeded',
    'quantization_model_unknown',
    'quantization_model_unsuitable',
    'quantization_option_invalid',
    'quantization_budget_too_small',
    'quantization_not_priced',
    'own_model_name_taken',
    'own_model_limit_reached',
    'too_many_jobs',
  )
  async quantize(
    @Body() body: QuantizeDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<QuantizationJobDto> {
    const { accountId, userId, credential } = caller;
    const context = callerContext(request, { userId, credential });
    const command = new QuantizeModelCommand(orderOf(body, accountId), context);
    const jobId = await this.commands.execute(command);
    const history = new JobHistoryQuery(jobId, readerOf(caller), null);
    await this.ends.wait(await this.queries.execute(history), reply, this.settings.waitMsMax);
    const job = await this.#find(jobId, caller);
    if (job.endedAt !== null) return presentQuantization(job);
    void reply.status(HttpStatus.ACCEPTED);
    // Whether it waits or runs already, the caller follows the job.
    return presentQuantization({ ...job, status: 'queued' });
  }

  @Get('jobs')
  @ApiOperation({ summary: 'List the quantizations', description: 'Newest first, in pages.' })
  @ApiOkResponse({ type: QuantizationListDto, description: 'A page of quantizations.' })
  @FailsWith('job_cursor_unknown')
  async list(
    @Query() { status, after, limit }: QuantizationsPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<QuantizationListDto> {
    const filter = { type: QUANTIZATION_JOB, status: status ?? null };
    const page = { limit, after: after ?? null };
    const { jobs, nextAfter } = await this.queries.execute(new JobsQuery(accountId, filter, page));
    return {
      success: true,
      quantizations: jobs.map(presentQuantization),
      next_after: nextAfter,
    };
  }

  @Get('jobs/:id')
  @ApiOperation({
    summary: 'Get a quantization',
    description: 'Its state; its figures when it has completed.',
  })
  @ApiParam({ name: 'id', description: 'The id of its job.' })
  @ApiOkResponse({ type: QuantizationJobDto, description: 'The quantization.' })
  @FailsWith('quantization_not_found', 'job_not_found')
  async retrieve(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
  ): Promise<QuantizationJobDto> {
    return presentQuantization(await this.#find(id, caller));
  }

  @Get('jobs/:id/tensors')
  @ApiOperation({
    summary: 'List the tensors of a quantized model',
    description: 'The format, the bytes and the measured loss of each, in the order of the file.',
  })
  @ApiParam({ name: 'id', description: 'The id of its job.' })
  @ApiOkResponse({ type: QuantizedTensorsDto, description: 'The tensors.' })
  @FailsWith('quantization_not_found', 'job_not_found', 'job_result_gone')
  async tensors(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
  ): Promise<QuantizedTensorsDto> {
    const { jobId } = await this.#find(id, caller);
    const result = await this.queries.execute(new QuantizationResultQuery(JobId.parse(jobId)));
    if (result) return presentTensors(result);
    return reject('quantization_not_found', 'the quantization has not completed');
  }

  async #find(id: string, caller: Caller): Promise<JobRecord> {
    const job = await this.queries.execute(new JobQuery(id, readerOf(caller)));
    if (job.type === QUANTIZATION_JOB) return job;
    return reject('quantization_not_found', 'the job with this id is no quantization');
  }
}

const orderOf = (body: QuantizeDto, accountId: string): QuantizeModelCommand['order'] => {
  const { zero_multiplication_mode: addsOnly, memory_budget_mb: budget } = body;
  return {
    accountId,
    model: body.model_name,
    weightBits: body.weight_bits,
    coding: body.weight_format ?? null,
    addsOnly: addsOnly === undefined ? null : addsOnly === 1,
    method: body.method,
    memoryBudgetBytes: budget === undefined ? null : Math.floor(budget * BYTES_PER_MB),
    slug: body.quantized_name ?? null,
    trainingSteps: body.qat_steps ?? null,
    seed: body.seed,
  };
};
