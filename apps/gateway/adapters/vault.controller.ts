import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { ADAPTER_SETTINGS, type AdapterSettings } from '#areas/adapters/adapters.settings.js';
import { RemoveAdapterCommand } from '#areas/adapters/remove-adapter.handler.js';
import { UploadAdapterCommand } from '#areas/adapters/upload-adapter.handler.js';
import { VaultAdapterQuery, VaultQuery } from '#areas/adapters/vault.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import { OpenUploads } from '../uploads/open-uploads.js';
import { FormUpload } from '../uploads/uploads.js';
import { adapterFormOf } from './adapter-form.js';
import {
  AdapterNameDto,
  RemovedAdapterDto,
  VaultAdapterDto,
  VaultDto,
  VaultPageDto,
} from './adapters.dto.js';
import { presentAdapter, presentVault } from './adapters.presenter.js';

const FILE = { type: 'string', format: 'binary' };
const WORD = { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$' };
const FORM = {
  type: 'object',
  required: ['slug', 'category', 'base_model', 'adapter_config.json', 'adapter_model.safetensors'],
  properties: {
    slug: { ...WORD, description: 'A name that no other adapter of the account has.' },
    category: WORD,
    base_model: { type: 'string', description: 'A model that Quipu serves itself.' },
    'adapter_config.json': FILE,
    'adapter_model.safetensors': FILE,
  },
};

/** The adapters that an account may use. */
@ApiTags('adapters')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/adapters/vault')
export class VaultController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly uploads: OpenUploads,
    @Inject(ADAPTER_SETTINGS) private readonly settings: AdapterSettings,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the adapters',
    description: 'Those that ship with Quipu, and the uploads of the account; by slug.',
  })
  @ApiOkResponse({ type: VaultDto, description: 'The adapters.' })
  async list(
    @Query() query: VaultPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<VaultDto> {
    const { category = null, base_model: baseModel = null, page, limit } = query;
    const filter = { category, baseModel };
    const asked = new VaultQuery(accountId, filter, { page, limit }, asOfOf(query));
    return presentVault(query, await this.queries.execute(asked));
  }

  @Get(':adapter_id')
  @ApiOperation({ summary: 'Get an adapter', description: 'By its slug or its id.' })
  @ApiOkResponse({ type: VaultAdapterDto, description: 'The adapter.' })
  @FailsWith('adapter_not_found')
  async show(
    @Param() { adapter_id: asked }: AdapterNameDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<VaultAdapterDto> {
    const entry = await this.queries.execute(new VaultAdapterQuery(accountId, asked));
    return { success: true, adapter: presentAdapter(entry) };
  }

  @Post()
  @FormUpload()
  @ApiOperation({
    summary: 'Upload an adapter',
    description:
      'The two files that `peft` saves. Names, shapes and numbers are checked against the base ' +
      'model before anything is stored. The weights are encrypted with a key of the user, and ' +
      'only the account can use them.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: FORM })
  @ApiCreatedResponse({ type: VaultAdapterDto, description: 'The stored adapter.' })
  @FailsWith(
    'adapter_form_invalid',
    'invalid_form',
    'adapter_base_unknown',
    'adapter_base_unsuitable',
    'adapter_config_invalid',
    'adapter_weights_invalid',
    'adapter_too_large',
    'adapter_slug_taken',
    'adapter_limit_reached',
    'too_many_uploads',
  )
  async upload(
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<VaultAdapterDto> {
    const read = () => adapterFormOf(request, this.settings.bytesMax);
    const form = await this.uploads.during(accountId, read);
    const context = contextOf(request.id, `user:${userId}`);
    const command = new UploadAdapterCommand({ accountId, userId }, form, context);
    return { success: true, adapter: presentAdapter(await this.commands.execute(command)) };
  }

  @Delete(':adapter_id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Remove an uploaded adapter',
    description: 'An answer that is being written keeps it. Its weights are removed within a day.',
  })
  @ApiOkResponse({ type: RemovedAdapterDto, description: 'The adapter is removed.' })
  @FailsWith('adapter_not_found')
  async remove(
    @Param() { adapter_id: asked }: AdapterNameDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<RemovedAdapterDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new RemoveAdapterCommand(accountId, asked, context);
    const { adapterId, slug } = await this.commands.execute(command);
    return { success: true, adapter_id: adapterId, slug };
  }
}
