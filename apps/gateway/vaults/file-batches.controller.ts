import { Controller, Get, HttpCode, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  CancelFileBatchCommand,
  CreateFileBatchCommand,
  type FileBatch,
  FileBatchQuery,
} from '#areas/vaults/file-batches.js';
import { StoredBytesQuery } from '#areas/vaults/vault.queries.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { callerContext } from '../identity/caller-context.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { schemaOf } from '../openapi/zod-schema.docs.js';
import { itemPage } from '../pages/item-page.js';
import {
  BatchFileListDto,
  BatchFilesPageDto,
  FileBatchDto,
  FileBatchIdDto,
} from './file-batches.dto.js';
import { batchIdOf, presentBatch, presentBatchFiles } from './file-batches.presenter.js';
import { FileProgress } from './file-progress.js';
import { inStore, StoreFiles } from './store-files.js';
import { vaultCallerOf } from './vault-caller.js';
import { filesToAttach, readBody, VectorStoreFileBatchBody } from './vector-stores.body.js';
import { VectorStoreIdDto } from './vector-stores.dto.js';
import { vaultIdOf } from './vector-stores.presenter.js';

const FILES = ['file-0123456789abcdef0123456789abcdef', 'file-fedcba9876543210fedcba9876543210'];

/** Files that jobs attach to a vector store. */
@ApiTags('vaults')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('v1/vector_stores/:vector_store_id/file_batches')
export class FileBatchesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly files: StoreFiles,
    private readonly progress: FileProgress,
  ) {}

  @Post()
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent()
  @ApiOperation({
    summary: 'Attach several files to a vector store',
    description:
      'Each file is a job with its own hold, charged when it is attached. A file that cannot ' +
      'be attached has failed. Where no file can be attached, the request is rejected.',
  })
  @ApiBody({ schema: schemaOf(VectorStoreFileBatchBody, { file_ids: FILES }) })
  @ApiOkResponse({ type: FileBatchDto, description: 'The batch.' })
  @FailsWith(
    'vector_store_not_found',
    'vector_store_file_unsuitable',
    'file_not_found',
    'vault_file_exists',
    'vault_full',
    'vault_not_priced',
    'insufficient_balance',
    'too_many_jobs',
  )
  async create(
    @Param() { vector_store_id: storeId }: VectorStoreIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<FileBatchDto> {
    const files = filesToAttach(readBody(VectorStoreFileBatchBody, request.body));
    const read = (fileId: string) => this.files.read(fileId, caller.accountId);
    const order = { vaultId: vaultIdOf(storeId), caller: vaultCallerOf(caller), files, read };
    const command = new CreateFileBatchCommand(order, callerContext(request, caller));
    return this.#show(await inStore(this.commands.execute(command)), caller);
  }

  @Get(':batch_id')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Get a batch of files',
    description: 'Its state is the state of its files.',
  })
  @ApiOkResponse({ type: FileBatchDto, description: 'The batch.' })
  @FailsWith('vector_store_batch_not_found')
  async find(
    @Param() place: FileBatchIdDto,
    @CurrentCaller() caller: Caller,
  ): Promise<FileBatchDto> {
    return this.#show(await this.#find(place, caller), caller);
  }

  @Post(':batch_id/cancel')
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent()
  @ApiOperation({
    summary: 'Cancel a batch of files',
    description: 'Attached files stay, and so do their charges.',
  })
  @ApiOkResponse({ type: FileBatchDto, description: 'The batch.' })
  @FailsWith('vector_store_batch_not_found')
  async cancel(
    @Param() place: FileBatchIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<FileBatchDto> {
    const { batchId, vaultId, accountId } = await this.#find(place, caller);
    const context = callerContext(request, caller);
    await this.commands.execute(new CancelFileBatchCommand(batchId, vaultId, accountId, context));
    return this.#show(await this.#find(place, caller), caller);
  }

  @Get(':batch_id/files')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'List the files of a batch',
    description: 'Also files that are not attached.',
  })
  @ApiOkResponse({ type: BatchFileListDto, description: 'A page of files.' })
  @FailsWith('vector_store_not_found', 'vector_store_batch_not_found')
  async list(
    @Param() place: FileBatchIdDto,
    @Query() { filter, ...page }: BatchFilesPageDto,
    @CurrentCaller() caller: Caller,
  ): Promise<BatchFileListDto> {
    const batch = await this.#find(place, caller);
    const stored = new StoredBytesQuery(batch.vaultId, vaultCallerOf(caller));
    const bytes = await inStore(this.queries.execute(stored));
    const files = presentBatchFiles(batch, await this.progress.of(batch, caller), bytes);
    const wanted = files.filter(({ status }) => filter === undefined || status === filter);
    return itemPage(wanted, page) as BatchFileListDto;
  }

  #find(place: FileBatchIdDto, { accountId }: Caller): Promise<FileBatch> {
    const { vector_store_id: storeId, batch_id } = place;
    const query = new FileBatchQuery(batchIdOf(batch_id), vaultIdOf(storeId), accountId);
    return this.queries.execute(query);
  }

  async #show(batch: FileBatch, caller: Caller): Promise<FileBatchDto> {
    return presentBatch(batch, await this.progress.of(batch, caller));
  }
}
