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
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { CancelJobCommand } from '#areas/jobs/cancel-job.handler.js';
import { JobQuery, JobsQuery } from '#areas/jobs/job.queries.js';
import {
  SubmitTrainingCommand,
  type TrainingOrder,
} from '#areas/training/submit-training.handler.js';
import { DEFAULT_BATCH_SIZE } from '#areas/training/training-recipe.js';
import { TrainingEventsQuery } from '#areas/training/training-events.query.js';
import { reject } from '#areas/training/training.decider.js';
import { FINE_TUNING_JOB } from '#events/training/training.job.js';
import { type JobRecord } from '#projections/jobs/jobs.projection.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  CreateFineTuningDto,
  FineTuningCheckpointListDto,
  FineTuningEventListDto,
  FineTuningJobDto,
  FineTuningJobListDto,
  FineTuningPageDto,
} from './fine-tuning.dto.js';
import {
  jobIdOf,
  presentCheckpoints,
  presentFineTuning,
  presentFineTuningEvent,
  revisionOf,
} from './fine-tuning.presenter.js';

const EPOCHS = 3;

/** Fine-tuning in OpenAI's shape, under both bases that clients are set up with. */
@ApiTags('training')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller(['v1/fine_tuning/jobs', 'api/v1/fine_tuning/jobs'])
export class FineTuningController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent()
  @ApiOperation({
    summary: 'Create a fine-tuning job',
    description:
      'Trains a copy of a resident model on chats or texts: every weight, or a LoRA ' +
      '(`lora_rank`) that is merged. The result is a model of the account, listed in `/v1/models`.',
  })
  @ApiOkResponse({ type: FineTuningJobDto, description: 'The job, which is queued.' })
  @FailsWith(
    'insufficient_balance',
    'budget_exceeded',
    'training_model_unknown',
    'training_model_unsuitable',
    'training_text_unknown',
    'training_text_invalid',
    'training_name_used',
    'training_not_priced',
    'too_many_jobs',
  )
  async create(
    @Body() body: CreateFineTuningDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<FineTuningJobDto> {
    const { accountId, userId, credential } = caller;
    const context = callerContext(request, { userId, credential });
    const order = orderOf(body, accountId, context.requestId);
    const id = await this.commands.execute(new SubmitTrainingCommand(order, context));
    return presentFineTuning(await this.queries.execute(new JobQuery(id, readerOf(caller))));
  }

  @Get()
  @OpenAiErrors()
  @ApiOperation({ summary: 'List the fine-tuning jobs', description: 'Newest first, in pages.' })
  @ApiOkResponse({ type: FineTuningJobListDto, description: 'A page of jobs.' })
  @FailsWith('job_cursor_unknown')
  async list(
    @Query() { after, limit }: FineTuningPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<FineTuningJobListDto> {
    const filter = { type: FINE_TUNING_JOB, status: null };
    const page = { limit, after: after === undefined ? null : (jobIdOf(after) ?? after) };
    const found = await this.queries.execute(new JobsQuery(accountId, filter, page));
    const data = found.jobs.map(presentFineTuning);
    return { object: 'list', data, has_more: found.nextAfter !== null };
  }

  @Get(':id')
  @OpenAiErrors()
  @ApiOperation({ summary: 'Get a fine-tuning job', description: 'Its state and its model.' })
  @ApiParam({ name: 'id', description: 'The id of the job.' })
  @ApiOkResponse({ type: FineTuningJobDto, description: 'The job.' })
  @FailsWith('training_not_found')
  async retrieve(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
  ): Promise<FineTuningJobDto> {
    return presentFineTuning(await this.#find(id, caller));
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent()
  @ApiOperation({
    summary: 'Cancel a fine-tuning job',
    description: 'The time that it was trained is charged. An ended job stays as it is.',
  })
  @ApiParam({ name: 'id', description: 'The id of the job.' })
  @ApiOkResponse({ type: FineTuningJobDto, description: 'The job after the cancellation.' })
  @FailsWith('training_not_found')
  async cancel(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<FineTuningJobDto> {
    const { jobId } = await this.#find(id, caller);
    const context = contextOf(request.id, `user:${caller.userId}`);
    await this.commands.execute(new CancelJobCommand(jobId, readerOf(caller), context));
    return presentFineTuning(await this.#find(id, caller));
  }

  @Get(':id/events')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'List the events of a fine-tuning job',
    description: 'Newest first, in pages, with the loss of each reported step.',
  })
  @ApiParam({ name: 'id', description: 'The id of the job.' })
  @ApiOkResponse({ type: FineTuningEventListDto, description: 'A page of events.' })
  @FailsWith('training_not_found')
  async events(
    @Param('id') id: string,
    @Query() { after, limit }: FineTuningPageDto,
    @CurrentCaller() caller: Caller,
  ): Promise<FineTuningEventListDto> {
    const { jobId } = await this.#find(id, caller);
    const before = after === undefined ? null : revisionOf(after);
    const query = new TrainingEventsQuery(jobId, before, limit);
    const { events, hasMore } = await this.queries.execute(query);
    const data = events.map((event) => presentFineTuningEvent(jobId, event));
    return { object: 'list', data, has_more: hasMore };
  }

  @Get(':id/checkpoints')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'List the checkpoints of a fine-tuning job',
    description: 'The model that was made, with its losses; empty until then.',
  })
  @ApiParam({ name: 'id', description: 'The id of the job.' })
  @ApiOkResponse({ type: FineTuningCheckpointListDto, description: 'The checkpoints.' })
  @FailsWith('training_not_found')
  async checkpoints(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
  ): Promise<FineTuningCheckpointListDto> {
    return presentCheckpoints(await this.#find(id, caller));
  }

  async #find(written: string, caller: Caller): Promise<JobRecord> {
    const jobId = jobIdOf(written);
    if (jobId === undefined) return notFound(written);
    const job = await this.queries
      .execute(new JobQuery(jobId, readerOf(caller)))
      .catch((error: unknown) =>
        error instanceof Error && 'code' in error && error.code === 'job_not_found'
          ? notFound(written)
          : Promise.reject(error as Error),
      );
    return job.type === FINE_TUNING_JOB ? job : notFound(written);
  }
}

const notFound = (id: string): never =>
  reject('training_not_found', `there is no fine-tuning job ${id}`);

const orderOf = (
  body: CreateFineTuningDto,
  accountId: string,
  requestId: string,
): TrainingOrder => {
  const asked = body.method?.supervised?.hyperparameters ?? body.hyperparameters ?? {};
  const chosen = (value: 'auto' | number | undefined, fallback: number): number =>
    typeof value === 'number' ? value : fallback;
  const base = body.model.split('/').at(-1) ?? body.model;
  const named =
    body.suffix ??
    base
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 40);
  const loraRank = asked.lora_rank ?? null;
  return {
    accountId,
    jobName: `ft-${named}-${requestId.replaceAll('-', '').slice(0, 12)}`,
    student: body.model,
    teacher: null,
    text: body.training_file,
    heldOutText: body.validation_file ?? null,
    method: loraRank === null ? 'supervised' : 'lora',
    loss: { kind: 'next_token' },
    recipe: {
      batchSize: Math.floor(chosen(asked.batch_size, DEFAULT_BATCH_SIZE)),
      seed: body.seed ?? 0,
      learningRateMultiplier: chosen(asked.learning_rate_multiplier, 1),
      loraRank,
    },
    length: { epochs: Math.floor(chosen(asked.n_epochs, EPOCHS)) },
  };
};
