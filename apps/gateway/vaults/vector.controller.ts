import { Body, Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { IngestDocumentCommand } from '#areas/vaults/ingest-document.handler.js';
import { SearchVaultCommand } from '#areas/vaults/search-vault.handler.js';
import { TOP_DEFAULT } from '#areas/vaults/vault-search.js';
import { reject } from '#areas/vaults/vaults.errors.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { costHeaders } from '../inference/chat.headers.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { VaultWork, type VaultOrder } from './vault-work.js';
import { VaultActionDto, VaultIngestResultDto, VaultSearchResultDto } from './vaults.dto.js';
import { presentIngest, presentSearch } from './vaults.presenter.js';

const UNTITLED = 'Untitled';

/** Searches of vaults and documents for them. */
@ApiTags('vaults')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@ApiExtraModels(VaultSearchResultDto, VaultIngestResultDto)
@Scope('inference')
@Controller('api/v1/vault')
export class VectorController {
  constructor(
    private readonly commands: CommandBus,
    private readonly work: VaultWork,
  ) {}

  @Post('vector.php')
  @HttpCode(200)
  @Idempotent({ settle: PaidSettler })
  @ApiOperation({
    summary: 'Search a vault or ingest a document',
    description:
      'A search looks only at documents that the caller is cleared for: results, counts, scores ' +
      'and the price say nothing about others. It is exact; a large vault is searched by a graph ' +
      'whose recall is measured, and `index` says so. An ingest splits the text, embeds the ' +
      'parts, encrypts texts and vectors with a key of the vault, and stores them; a job does so ' +
      'for a long text. Embedded tokens and searched vectors are charged.',
  })
  @ApiOkResponse({
    description: 'The passages that were found, or the document.',
    schema: {
      oneOf: [
        { $ref: getSchemaPath(VaultSearchResultDto) },
        { $ref: getSchemaPath(VaultIngestResultDto) },
      ],
    },
  })
  @FailsWith(
    'vault_not_found',
    'vault_query_empty',
    'vault_text_empty',
    'vault_document_too_large',
    'vault_field_of_other_action',
    'invalid_marking',
    'marking_above_clearance',
    'vault_full',
    'vault_key_changed',
    'vault_model_unsuitable',
    'vault_not_priced',
    'vault_memory_full',
    'vault_unavailable',
    'embedding_model_not_found',
    'too_many_jobs',
    'request_timed_out',
  )
  async act(
    @Body() body: VaultActionDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<VaultSearchResultDto | VaultIngestResultDto> {
    return this.work.run<VaultSearchResultDto | VaultIngestResultDto>(
      caller,
      request,
      attempt,
      (order, signal) =>
        body.action === 'search'
          ? this.#search(body, order, signal, reply)
          : this.#ingest(body, order, signal, reply),
    );
  }

  async #search(
    body: VaultActionDto,
    order: VaultOrder,
    signal: AbortSignal,
    reply: FastifyReply,
  ): Promise<VaultSearchResultDto> {
    demandAbsent(body, 'document_title', 'payload_text', 'classification_marking');
    const { vault_uuid: vaultId, query, top_k: top } = body;
    const search = { vaultId, query: query ?? '', top: top ?? TOP_DEFAULT };
    const command = new SearchVaultCommand({ ...order, search }, signal);
    const { answer, entry } = await this.commands.execute(command);
    void reply.headers(costHeaders(entry));
    return presentSearch(answer);
  }

  async #ingest(
    body: VaultActionDto,
    order: VaultOrder,
    signal: AbortSignal,
    reply: FastifyReply,
  ): Promise<VaultIngestResultDto> {
    demandAbsent(body, 'query', 'top_k');
    const ingest = {
      vaultId: body.vault_uuid,
      title: body.document_title ?? UNTITLED,
      text: body.payload_text ?? '',
      marking: body.classification_marking ?? null,
    };
    const command = new IngestDocumentCommand({ ...order, ingest }, signal);
    const answer = await this.commands.execute(command);
    if (answer.done) void reply.headers(costHeaders(answer.done.entry));
    return presentIngest(answer);
  }
}

/** A marking that a search would ignore is no filter. */
const demandAbsent = (body: VaultActionDto, ...fields: (keyof VaultActionDto)[]): void => {
  const field = fields.find((one) => (body[one] ?? null) !== null);
  if (field === undefined) return;
  reject('vault_field_of_other_action', `${field}: expected nothing with action ${body.action}`);
};
