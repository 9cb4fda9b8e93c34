import { Body, Controller, Get, HttpCode, Post, Query, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { JobQuery, JobsQuery } from '#areas/jobs/job.queries.js';
import {
  SubmitTrainingCommand,
  type TrainingOrder,
} from '#areas/training/submit-training.handler.js';
import { DISTILLATION_JOB } from '#events/training/training.job.js';
import { callerContext } from '../identity/caller-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  DistillationDto,
  DistillationListDto,
  DistillationsPageDto,
  OrderDistillationDto,
} from './distillations.dto.js';
import { presentDistillation } from './distillations.presenter.js';

/** Students that learn from teachers. */
@ApiTags('training')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/distill/index.php')
export class DistillationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(202)
  @Idempotent()
  @ApiOperation({
    summary: 'Distil a model',
    description:
      'Trains a copy of the student on the probabilities or on texts of the teacher, as a job: ' +
      '`GET /api/v1/jobs/{job_uuid}` and its `/events` follow it, `/cancel` ends it. The result ' +
      'is a model of the account, `{owner}/{job_name}`, where the owner is the account. Models ' +
      'are of Llama architecture with at most 5,000,000 parameters, and have one vocabulary; a ' +
      'model may be its own teacher. The estimate is held, and the measured ' +
      'time is charged.',
  })
  @ApiAcceptedResponse({ type: DistillationDto, description: 'The job, which is queued.' })
  @FailsWith(
    'insufficient_balance',
    'budget_exceeded',
    'training_model_unknown',
    'training_model_unsuitable',
    'training_vocabulary_mismatch',
    'training_text_unknown',
    'training_text_invalid',
    'training_field_invalid',
    'training_name_used',
    'training_not_priced',
    'too_many_jobs',
  )
  async order(
    @Body() body: OrderDistillationDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DistillationDto> {
    const { accountId, userId, credential } = caller;
    const context = callerContext(request, { userId, credential });
    const order = orderOf(body, accountId);
    const id = await this.commands.execute(new SubmitTrainingCommand(order, context));
    const job = await this.queries.execute(new JobQuery(id, readerOf(caller)));
    return { success: true, ...presentDistillation(job) };
  }

  @Get()
  @ApiOperation({
    summary: 'List the distillations',
    description:
      'The distillations of the account, newest first, in pages. A page by status may have ' +
      'fewer jobs than its limit; it is the last one when `next_after` is null.',
  })
  @ApiOkResponse({ type: DistillationListDto, description: 'A page of distillations.' })
  @FailsWith('job_cursor_unknown')
  async list(
    @Query() { status, after, limit }: DistillationsPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<DistillationListDto> {
    const filter = { type: DISTILLATION_JOB, status: status ?? null };
    const page = { limit, after: after ?? null };
    const found = await this.queries.execute(new JobsQuery(accountId, filter, page));
    return {
      success: true,
      jobs: found.jobs.map(presentDistillation),
      next_after: found.nextAfter,
    };
  }
}

const orderOf = (body: OrderDistillationDto, accountId: string): TrainingOrder => ({
  accountId,
  jobName: body.job_name,
  student: body.student_base_model,
  teacher: body.teacher_model,
  text: body.training_text,
  heldOutText: null,
  method: body.distillation_method,
  loss: lossOf(body),
  recipe: {
    batchSize: body.batch_size,
    seed: body.seed,
    learningRateMultiplier: body.learning_rate_multiplier,
    loraRank: null,
  },
  length: { steps: body.steps },
});

const lossOf = (body: OrderDistillationDto): TrainingOrder['loss'] => {
  const { temperature_t: temperature, alpha_kd: alpha, beta_ce: beta } = body;
  switch (body.distillation_method) {
    case 'cot_reasoning_trace':
      return { kind: 'teacher_text' };
    case 'kl_divergence_logits':
      return { kind: 'distillation', temperature, alpha, beta: 0 };
    case 'hybrid_loss':
      return { kind: 'distillation', temperature, alpha, beta };
  }
};
