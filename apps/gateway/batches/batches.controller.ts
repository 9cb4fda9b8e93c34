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
import { batchIdOf } from '#areas/batches/batch-id.js';
import { BatchesQuery, BatchQuery } from '#areas/batches/batch.queries.js';
import { CancelBatchCommand, notFound } from '#areas/batches/cancel-batch.handler.js';
import { CreateBatchCommand } from '#areas/batches/create-batch.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { BatchDto, BatchesPageDto, BatchListDto, CreateBatchDto } from './batches.dto.js';
import { presentBatch, presentBatches } from './batches.presenter.js';

/** Batches in OpenAI's shape, under both bases that clients are set up with. */
@ApiTags('batches')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller(['v1/batches', 'api/v1/batches'])
export class BatchesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent()
  @ApiOperation({
    summary: 'Create a batch',
    description:
      'Checks every line of the input file, holds the worst case at the batch price and begins. ' +
      'A file with a fault gives a batch that has failed: `errors` names each line. A line ' +
      'whose body is not valid fails alone, free of charge, as its request would.',
  })
  @ApiOkResponse({ type: BatchDto, description: 'The batch, which runs.' })
  @FailsWith(
    'insufficient_balance',
    'budget_exceeded',
    'batch_endpoint_unknown',
    'batch_input_not_found',
    'batch_input_purpose',
    'batch_input_too_large',
    'too_many_jobs',
  )
  async create(
    @Body() body: CreateBatchDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BatchDto> {
    const order = {
      accountId,
      userId,
      endpoint: body.endpoint,
      inputFileId: body.input_file_id,
      completionWindow: body.completion_window,
      metadata: body.metadata ?? null,
      outputExpiresAfterSeconds: body.output_expires_after?.seconds ?? null,
    };
    const context = callerContext(request, { userId, credential });
    const batchId = await this.commands.execute(new CreateBatchCommand(order, context));
    return this.#show(accountId, batchId);
  }

  @Get()
  @OpenAiErrors()
  @ApiOperation({ summary: 'List the batches', description: 'Newest first, in pages.' })
  @ApiOkResponse({ type: BatchListDto, description: 'A page of batches.' })
  @FailsWith('batch_cursor_unknown')
  async list(
    @Query() { after, limit }: BatchesPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<BatchListDto> {
    // A text that is no id names no batch either: the query says so.
    const cursor = after === undefined ? null : (batchIdOf(after) ?? after);
    return presentBatches(await this.queries.execute(new BatchesQuery(accountId, limit, cursor)));
  }

  @Get(':id')
  @OpenAiErrors()
  @ApiOperation({ summary: 'Get a batch', description: 'Its state, its counts and its files.' })
  @ApiParam({ name: 'id', description: 'The id of the batch.' })
  @ApiOkResponse({ type: BatchDto, description: 'The batch.' })
  @FailsWith('batch_not_found')
  retrieve(@Param('id') id: string, @CurrentCaller() { accountId }: Caller): Promise<BatchDto> {
    return this.#show(accountId, idOf(id));
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent()
  @ApiOperation({
    summary: 'Cancel a batch',
    description:
      'Completed lines are kept and charged. The other lines are in the error file with the code ' +
      '`batch_cancelled`.',
  })
  @ApiParam({ name: 'id', description: 'The id of the batch.' })
  @ApiOkResponse({ type: BatchDto, description: 'The batch after the cancellation.' })
  @FailsWith('batch_not_found', 'batch_not_cancellable')
  async cancel(
    @Param('id') id: string,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BatchDto> {
    const batchId = idOf(id);
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new CancelBatchCommand(accountId, batchId, context));
    return this.#show(accountId, batchId);
  }

  async #show(accountId: string, batchId: string): Promise<BatchDto> {
    return presentBatch(await this.queries.execute(new BatchQuery(accountId, batchId)));
  }
}

const idOf = (written: string): string => {
  const batchId = batchIdOf(written);
  if (batchId === undefined) throw notFound();
  return batchId;
};
