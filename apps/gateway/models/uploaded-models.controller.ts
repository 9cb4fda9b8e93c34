import { Body, Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ImportModelCommand, type ModelImportOrder } from '#areas/models/import-model.handler.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { callerContext } from '../identity/caller-context.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { ImportedModelDto, ImportModelDto } from './uploaded-models.dto.js';
import { presentImported } from './uploaded-models.presenter.js';

const REQUEST_MS_MAX = 120_000;

/** Models that accounts bring. */
@ApiTags('models')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/models')
export class UploadedModelsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly requests: OpenRequests,
  ) {}

  @Post()
  @HttpCode(201)
  @Idempotent()
  @ApiOperation({
    summary: 'Import a model',
    description:
      'Makes a model of the account of a file that it has uploaded: GGUF, or safetensors with ' +
      '`config.json` and `tokenizer.json`, of Llama architecture with a byte-level BPE, of at ' +
      'most 100,000,000 parameters and 64 MiB, in F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, ' +
      'TQ1_0 or TQ2_0. What is kept is a GGUF file that is written from the checked parts; the ' +
      'uploaded files may be deleted. It costs nothing, and the model counts as a file of the ' +
      'account. `DELETE /v1/models/{id}` ends it.',
  })
  @ApiCreatedResponse({ type: ImportedModelDto, description: 'The model can be called.' })
  @FailsWith(
    'uploaded_model_file_unknown',
    'uploaded_model_file_invalid',
    'uploaded_model_side_file_invalid',
    'uploaded_model_unsupported',
    'uploaded_model_too_large',
    'uploaded_model_vocabulary_mismatch',
    'uploaded_model_storage_full',
    'uploaded_model_not_priced',
    'own_model_name_taken',
    'own_model_limit_reached',
    'own_model_too_large',
    'file_storage_full',
    'model_import_busy',
    'model_import_unavailable',
    'request_timed_out',
  )
  async import(
    @Body() body: ImportModelDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<ImportedModelDto> {
    const context = callerContext(request, { userId, credential });
    const open = this.requests.open(REQUEST_MS_MAX);
    try {
      const command = new ImportModelCommand(orderOf(body, accountId), open.signal, context);
      return presentImported(await this.commands.execute(command));
    } finally {
      open.close();
    }
  }
}

const orderOf = (
  { name: slug, file, config_file: config, tokenizer_file: tokenizer, card }: ImportModelDto,
  accountId: string,
): ModelImportOrder => ({
  accountId,
  slug,
  files: { file, config: config ?? null, tokenizer: tokenizer ?? null },
  card: {
    name: card.name,
    licence: card.licence,
    source: card.source,
    baseTokenizer: card.base_tokenizer ?? null,
  },
  contextTokens: card.context_length ?? null,
  chatTemplate: card.chat_template ?? null,
  priced: null,
});
