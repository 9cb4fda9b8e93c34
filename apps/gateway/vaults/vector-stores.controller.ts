import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  CreateVaultCommand,
  DescribeVaultCommand,
  EraseVaultCommand,
} from '#areas/vaults/change-vault.handlers.js';
import { VaultQuery, VaultsQuery } from '#areas/vaults/vault.queries.js';
import { pageOfItems } from '#platform/kernel/item-page.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { schemaOf } from '../openapi/zod-schema.docs.js';
import { foundPage, ItemPageDto, presentItems } from '../pages/item-page.js';
import { inStore } from './store-files.js';
import { vaultCallerOf } from './vault-caller.js';
import { readBody, VectorStoreBody, VectorStoreChangesBody } from './vector-stores.body.js';
import {
  DeletedVectorStoreDto,
  VectorStoreDto,
  VectorStoreIdDto,
  VectorStoreListDto,
} from './vector-stores.dto.js';
import { presentStore, storeIdOf, vaultIdOf } from './vector-stores.presenter.js';

const UNNAMED = 'Vector store';
/** The vaults of an account are fewer. */
const STORES_MAX = 10_000;

/** Vaults as the vector stores of OpenAI's API. */
@ApiTags('vaults')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('v1/vector_stores')
export class VectorStoresController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent()
  @ApiOperation({
    summary: 'Create a vector store',
    description: 'A vault with the default model. Fields of other features are refused by name.',
  })
  @ApiBody({ schema: schemaOf(VectorStoreBody, { name: 'Contracts' }) })
  @ApiOkResponse({ type: VectorStoreDto, description: 'The vector store.' })
  @FailsWith('vault_model_not_found', 'vault_model_unsuitable', 'too_many_vaults', 'vault_busy')
  async create(
    @CurrentCaller() caller: Caller,
    @Req() { id, body }: FastifyRequest,
  ): Promise<VectorStoreDto> {
    const { name, metadata } = readBody(VectorStoreBody, body);
    const { accountId, userId } = caller;
    const order = { accountId, userId, name: name ?? UNNAMED, metadata: metadata ?? {} };
    const context = contextOf(id, `user:${userId}`);
    const command = new CreateVaultCommand({ ...order, model: null }, context);
    return this.#show((await this.commands.execute(command)).vault.vaultId, caller);
  }

  @Get()
  @OpenAiErrors()
  @ApiOperation({ summary: 'List vector stores', description: 'The vaults of the account.' })
  @ApiOkResponse({ type: VectorStoreListDto, description: 'A page of vector stores.' })
  async list(
    @Query() page: ItemPageDto,
    @CurrentCaller() caller: Caller,
  ): Promise<VectorStoreListDto> {
    const all = await this.queries.execute(new VaultsQuery(caller.accountId, 1, STORES_MAX));
    const vaults = all.items.map(({ vaultId }) => vaultId).toReversed();
    const { items, hasMore } = foundPage(pageOfItems(vaults, storeIdOf, page));
    const shown = await Promise.all(items.map((vaultId) => this.#show(vaultId, caller)));
    return presentItems(shown, hasMore);
  }

  @Get(':vector_store_id')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Get a vector store',
    description: 'Its counts are of the files that the caller is cleared for.',
  })
  @ApiOkResponse({ type: VectorStoreDto, description: 'The vector store.' })
  @FailsWith('vector_store_not_found')
  find(
    @Param() { vector_store_id: id }: VectorStoreIdDto,
    @CurrentCaller() caller: Caller,
  ): Promise<VectorStoreDto> {
    return this.#show(vaultIdOf(id), caller);
  }

  @Post(':vector_store_id')
  @HttpCode(200)
  @OpenAiErrors()
  @Idempotent()
  @ApiOperation({
    summary: 'Change a vector store',
    description: 'Its name or its metadata; what is left out stays.',
  })
  @ApiBody({ schema: schemaOf(VectorStoreChangesBody, { metadata: { team: 'legal' } }) })
  @ApiOkResponse({ type: VectorStoreDto, description: 'The vector store.' })
  @FailsWith('vector_store_not_found')
  async change(
    @Param() { vector_store_id: id }: VectorStoreIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<VectorStoreDto> {
    const { name, metadata } = readBody(VectorStoreChangesBody, request.body);
    const changes = { ...(name != null && { name }), ...(metadata != null && { metadata }) };
    const { accountId, userId } = caller;
    const context = contextOf(request.id, `user:${userId}`);
    const vaultId = vaultIdOf(id);
    const command = new DescribeVaultCommand(vaultId, accountId, changes, context);
    await inStore(this.commands.execute(command));
    return this.#show(vaultId, caller);
  }

  @Delete(':vector_store_id')
  @HttpCode(200)
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Delete a vector store',
    description: 'Erases the vault. The files themselves stay.',
  })
  @ApiOkResponse({ type: DeletedVectorStoreDto, description: 'The vector store is deleted.' })
  @FailsWith('vector_store_not_found', 'clearance_of_account_needed')
  async remove(
    @Param() { vector_store_id: id }: VectorStoreIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DeletedVectorStoreDto> {
    const context = contextOf(request.id, `user:${caller.userId}`);
    const command = new EraseVaultCommand(vaultIdOf(id), vaultCallerOf(caller), context);
    await inStore(this.commands.execute(command));
    return { id, object: 'vector_store.deleted', deleted: true };
  }

  async #show(vaultId: string, caller: Caller): Promise<VectorStoreDto> {
    const query = new VaultQuery(vaultId, vaultCallerOf(caller));
    return presentStore(await inStore(this.queries.execute(query)));
  }
}
