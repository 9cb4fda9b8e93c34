import {
  Body,
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
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  CreateVaultCommand,
  DeleteDocumentCommand,
  EraseVaultCommand,
  RotateVaultKeyCommand,
} from '#areas/vaults/change-vault.handlers.js';
import {
  VaultDocumentQuery,
  VaultDocumentsQuery,
  VaultQuery,
  VaultsQuery,
} from '#areas/vaults/vault.queries.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { DoneDto } from '../identity/auth.dto.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { vaultCallerOf } from './vault-caller.js';
import {
  NewVaultDto,
  VaultAnswerDto,
  VaultDocumentAnswerDto,
  VaultDocumentIdDto,
  VaultDocumentListDto,
  VaultIdDto,
  VaultListDto,
  VectorVaultPageDto,
} from './vaults.dto.js';
import {
  presentVaultDetail,
  presentVaultDocument,
  presentVaultDocuments,
  presentVaults,
} from './vaults.presenter.js';

/** Vaults of encrypted documents. */
@ApiTags('vaults')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/vaults')
export class VaultsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Create a vault',
    description: 'Its content is encrypted with keys of its own. An empty vault is free.',
  })
  @ApiOkResponse({ type: VaultAnswerDto, description: 'The vault.' })
  @FailsWith('vault_model_not_found', 'vault_model_unsuitable', 'too_many_vaults', 'vault_busy')
  async create(
    @Body() { name, model }: NewVaultDto,
    @CurrentCaller() caller: Caller,
    @Req() { id }: FastifyRequest,
  ): Promise<VaultAnswerDto> {
    const { accountId, userId } = caller;
    const order = { accountId, userId, name, model: model ?? null };
    const context = contextOf(id, `user:${userId}`);
    const { vault } = await this.commands.execute(new CreateVaultCommand(order, context));
    return this.#show(vault.vaultId, caller);
  }

  @Get()
  @ApiOperation({ summary: 'List the vaults', description: 'The vaults of the account.' })
  @ApiOkResponse({ type: VaultListDto, description: 'A page of vaults.' })
  async list(
    @Query() query: VectorVaultPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<VaultListDto> {
    const asked = new VaultsQuery(accountId, query.page, query.limit);
    return presentVaults(query, await this.queries.execute(asked));
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Get a vault',
    description: 'Its counts are of the documents that the caller is cleared for.',
  })
  @ApiOkResponse({ type: VaultAnswerDto, description: 'The vault.' })
  @FailsWith('vault_not_found')
  find(@Param() { id }: VaultIdDto, @CurrentCaller() caller: Caller): Promise<VaultAnswerDto> {
    return this.#show(id, caller);
  }

  @Delete(':id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Erase a vault',
    description:
      'Destroys its keys: no copy of its documents opens any more, in no backup of the blobs. ' +
      'A key with a lower clearance than its account cannot.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The vault is erased.' })
  @FailsWith('vault_not_found', 'clearance_of_account_needed')
  async erase(
    @Param() { id }: VaultIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${caller.userId}`);
    await this.commands.execute(new EraseVaultCommand(id, vaultCallerOf(caller), context));
    return { success: true, message: 'The vault was erased.' };
  }

  @Post(':id/rotate_key')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Rotate the key of a vault',
    description:
      'New documents get the new key at once, and the others one after another; then the old ' +
      'key is destroyed. Searches go on meanwhile. A key with a lower clearance than its account ' +
      'cannot.',
  })
  @ApiOkResponse({ type: VaultAnswerDto, description: 'The vault.' })
  @FailsWith('vault_not_found', 'clearance_of_account_needed', 'vault_rotation_under_way')
  async rotate(
    @Param() { id }: VaultIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<VaultAnswerDto> {
    const context = contextOf(request.id, `user:${caller.userId}`);
    await this.commands.execute(new RotateVaultKeyCommand(id, vaultCallerOf(caller), context));
    return this.#show(id, caller);
  }

  @Get(':id/documents')
  @ApiOperation({
    summary: 'List the documents of a vault',
    description: 'Those that the caller is cleared for.',
  })
  @ApiOkResponse({ type: VaultDocumentListDto, description: 'A page of documents.' })
  @FailsWith('vault_not_found')
  async documents(
    @Param() { id }: VaultIdDto,
    @Query() query: VectorVaultPageDto,
    @CurrentCaller() caller: Caller,
  ): Promise<VaultDocumentListDto> {
    const asked = new VaultDocumentsQuery(id, vaultCallerOf(caller), query.page, query.limit);
    return presentVaultDocuments(query, await this.queries.execute(asked));
  }

  @Get(':id/documents/:document_id')
  @ApiOperation({
    summary: 'Get a document of a vault',
    description: 'A document that the caller is not cleared for is not found.',
  })
  @ApiOkResponse({ type: VaultDocumentAnswerDto, description: 'The document, without its text.' })
  @FailsWith('vault_not_found', 'vault_document_not_found')
  async document(
    @Param() { id, document_id }: VaultDocumentIdDto,
    @CurrentCaller() caller: Caller,
  ): Promise<VaultDocumentAnswerDto> {
    const asked = new VaultDocumentQuery(id, document_id, vaultCallerOf(caller));
    return presentVaultDocument(await this.queries.execute(asked));
  }

  @Delete(':id/documents/:document_id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Delete a document of a vault',
    description: 'A document that the caller is not cleared for is not found.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The document is deleted.' })
  @FailsWith('vault_not_found', 'vault_document_not_found')
  async remove(
    @Param() { id, document_id }: VaultDocumentIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${caller.userId}`);
    const command = new DeleteDocumentCommand(id, document_id, vaultCallerOf(caller), context);
    await this.commands.execute(command);
    return { success: true, message: 'The document was deleted.' };
  }

  async #show(id: string, caller: Caller): Promise<VaultAnswerDto> {
    const vault = await this.queries.execute(new VaultQuery(id, vaultCallerOf(caller)));
    return presentVaultDetail(vault);
  }
}
