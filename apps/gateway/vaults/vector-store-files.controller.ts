import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  DeleteDocumentCommand,
  DescribeDocumentCommand,
} from '#areas/vaults/change-vault.handlers.js';
import { IngestDocumentCommand } from '#areas/vaults/ingest-document.handler.js';
import { SearchVaultCommand } from '#areas/vaults/search-vault.handler.js';
import {
  type ShownDocument,
  VaultDocumentQuery,
  VaultDocumentTextQuery,
  VaultFilesQuery,
} from '#areas/vaults/vault.queries.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { costHeaders } from '../inference/chat.headers.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { schemaOf } from '../openapi/zod-schema.docs.js';
import { foundPage, ItemPageDto, presentItems } from '../pages/item-page.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { inStore, StoreFiles } from './store-files.js';
import { vaultCallerOf } from './vault-caller.js';
import { VaultWork } from './vault-work.js';
import {
  fileToAttach,
  readBody,
  searchLimitsOf,
  VectorStoreFileBody,
  VectorStoreFileChangesBody,
  VectorStoreSearchBody,
} from './vector-stores.body.js';
import {
  DeletedVectorStoreFileDto,
  VectorStoreFileContentDto,
  VectorStoreFileDto,
  VectorStoreFileIdDto,
  VectorStoreFileListDto,
  VectorStoreIdDto,
  VectorStoreResultsDto,
} from './vector-stores.dto.js';
import {
  presentStoreFile,
  presentStoreFileContent,
  presentStoreResults,
  vaultIdOf,
} from './vector-stores.presenter.js';

const FILE = 'file-0123456789abcdef0123456789abcdef';

/** The files of vector stores, and searches of them. */
@ApiTags('vaults')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('v1/vector_stores/:vector_store_id')
export class VectorStoreFilesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly files: StoreFiles,
    private readonly work: VaultWork,
  ) {}

  @Post('files')
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent({ settle: PaidSettler })
  @ApiOperation({
    summary: 'Attach a file to a vector store',
    description:
      'Reads a file of text in UTF-8, embeds it and stores it at the lowest marking. ' +
      'The answer comes when the file is searchable. Embedded tokens and stored bytes are ' +
      'charged. A token of `chunking_strategy` counts as 4 characters.',
  })
  @ApiBody({ schema: schemaOf(VectorStoreFileBody, { file_id: FILE }) })
  @ApiOkResponse({ type: VectorStoreFileDto, description: 'The file.' })
  @FailsWith(
    'vector_store_not_found',
    'vector_store_file_unsuitable',
    'file_not_found',
    'vault_file_exists',
    'vault_full',
    'vault_key_changed',
    'vault_model_unsuitable',
    'vault_not_priced',
    'embedding_model_not_found',
    'request_timed_out',
  )
  async attach(
    @Param() { vector_store_id: storeId }: VectorStoreIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<VectorStoreFileDto> {
    const file = fileToAttach(readBody(VectorStoreFileBody, request.body));
    const { name: title, text } = await this.files.read(file.fileId, caller.accountId);
    const vaultId = vaultIdOf(storeId);
    const ingest = { vaultId, title, text, marking: null, file };
    const { documentId, done } = await this.work.run(caller, request, attempt, (order, signal) =>
      inStore(this.commands.execute(new IngestDocumentCommand({ ...order, ingest }, signal))),
    );
    if (done) void reply.headers(costHeaders(done.entry));
    return presentStoreFile(vaultId, await this.#find(vaultId, documentId, caller));
  }

  @Get('files')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'List the files of a vector store',
    description: 'The documents that the caller is cleared for, also those without a file.',
  })
  @ApiOkResponse({ type: VectorStoreFileListDto, description: 'A page of files.' })
  @FailsWith('vector_store_not_found')
  async list(
    @Param() { vector_store_id: storeId }: VectorStoreIdDto,
    @Query() page: ItemPageDto,
    @CurrentCaller() caller: Caller,
  ): Promise<VectorStoreFileListDto> {
    const vaultId = vaultIdOf(storeId);
    const query = new VaultFilesQuery(vaultId, vaultCallerOf(caller), page);
    const { items, hasMore } = foundPage(await inStore(this.queries.execute(query)));
    return presentItems(
      items.map((document) => presentStoreFile(vaultId, document)),
      hasMore,
    );
  }

  @Get('files/:file_id')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Get a file of a vector store',
    description: 'A file that the caller is not cleared for is not found.',
  })
  @ApiOkResponse({ type: VectorStoreFileDto, description: 'The file, without its text.' })
  @FailsWith('vector_store_not_found', 'vector_store_file_not_found')
  async find(
    @Param() { vector_store_id: storeId, file_id }: VectorStoreFileIdDto,
    @CurrentCaller() caller: Caller,
  ): Promise<VectorStoreFileDto> {
    const vaultId = vaultIdOf(storeId);
    return presentStoreFile(vaultId, await this.#find(vaultId, file_id, caller));
  }

  @Post('files/:file_id')
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent()
  @ApiOperation({
    summary: 'Change the attributes of a file in a vector store',
    description: 'They replace the attributes that it has.',
  })
  @ApiBody({ schema: schemaOf(VectorStoreFileChangesBody, { attributes: { year: 2026 } }) })
  @ApiOkResponse({ type: VectorStoreFileDto, description: 'The file.' })
  @FailsWith('vector_store_not_found', 'vector_store_file_not_found', 'vault_key_changed')
  async describe(
    @Param() { vector_store_id: storeId, file_id }: VectorStoreFileIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<VectorStoreFileDto> {
    const { attributes } = readBody(VectorStoreFileChangesBody, request.body);
    const vaultId = vaultIdOf(storeId);
    const { documentId } = await this.#find(vaultId, file_id, caller);
    const context = contextOf(request.id, `user:${caller.userId}`);
    const own = vaultCallerOf(caller);
    const changes = attributes ?? {};
    const command = new DescribeDocumentCommand(vaultId, documentId, changes, own, context);
    await inStore(this.commands.execute(command));
    return presentStoreFile(vaultId, await this.#find(vaultId, documentId, caller));
  }

  @Get('files/:file_id/content')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Get the text of a file in a vector store',
    description: 'As it was split when the file was attached; chunks may overlap.',
  })
  @ApiOkResponse({ type: VectorStoreFileContentDto, description: 'The chunks of the file.' })
  @FailsWith('vector_store_not_found', 'vector_store_file_not_found')
  async content(
    @Param() { vector_store_id: storeId, file_id }: VectorStoreFileIdDto,
    @CurrentCaller() caller: Caller,
  ): Promise<VectorStoreFileContentDto> {
    const query = new VaultDocumentTextQuery(vaultIdOf(storeId), file_id, vaultCallerOf(caller));
    return presentStoreFileContent((await inStore(this.queries.execute(query))).chunks);
  }

  @Delete('files/:file_id')
  @HttpCode(200)
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Remove a file from a vector store',
    description: 'The file itself stays.',
  })
  @ApiOkResponse({ type: DeletedVectorStoreFileDto, description: 'The file is removed.' })
  @FailsWith('vector_store_not_found', 'vector_store_file_not_found')
  async remove(
    @Param() { vector_store_id: storeId, file_id: id }: VectorStoreFileIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DeletedVectorStoreFileDto> {
    const vaultId = vaultIdOf(storeId);
    const { documentId } = await this.#find(vaultId, id, caller);
    const context = contextOf(request.id, `user:${caller.userId}`);
    const own = vaultCallerOf(caller);
    const command = new DeleteDocumentCommand(vaultId, documentId, own, context);
    await inStore(this.commands.execute(command));
    return { id, object: 'vector_store.file.deleted', deleted: true };
  }

  @Post('search')
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent({ settle: PaidSettler })
  @ApiOperation({
    summary: 'Search a vector store',
    description:
      'Looks only at files that the caller is cleared for and whose attributes match, exactly ' +
      'unless the vault is large. The tokens of the query and the vectors are charged.',
  })
  @ApiBody({ schema: schemaOf(VectorStoreSearchBody, { query: 'Who signs the contract?' }) })
  @ApiOkResponse({ type: VectorStoreResultsDto, description: 'Passages, the best first.' })
  @FailsWith(
    'vector_store_not_found',
    'vault_query_empty',
    'vault_model_unsuitable',
    'vault_not_priced',
    'vault_memory_full',
    'vault_unavailable',
    'embedding_model_not_found',
    'request_timed_out',
  )
  async search(
    @Param() { vector_store_id: storeId }: VectorStoreIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<VectorStoreResultsDto> {
    const { query, rewrite_query: _, ...fields } = readBody(VectorStoreSearchBody, request.body);
    const { scoreLeast, ...limits } = searchLimitsOf(fields);
    const search = { vaultId: vaultIdOf(storeId), query, ...limits };
    const { answer, entry } = await this.work.run(caller, request, attempt, (order, signal) =>
      inStore(this.commands.execute(new SearchVaultCommand({ ...order, search }, signal))),
    );
    void reply.headers(costHeaders(entry));
    return presentStoreResults(
      query,
      answer.found.filter(({ score }) => score >= scoreLeast),
    );
  }

  #find(vaultId: string, fileId: string, caller: Caller): Promise<ShownDocument> {
    const query = new VaultDocumentQuery(vaultId, fileId, vaultCallerOf(caller));
    return inStore(this.queries.execute(query));
  }
}
