import { Readable } from 'node:stream';
import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiConsumes,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { FileStore } from '#areas/files/file-store.js';
import { ListFilesQuery } from '#areas/files/list-files.handler.js';
import { UploadFileCommand } from '#areas/files/upload-file.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { multipartOf } from '../uploads/form-parts.js';
import { OpenUploads } from '../uploads/open-uploads.js';
import { OpenAiUpload } from '../uploads/uploads.js';
import { DeletedFileDto, FileDto, FileIdDto, FileListDto, FilesPageDto } from './files.dto.js';
import { presentFile, presentFiles } from './files.presenter.js';

const FORM = {
  type: 'object',
  required: ['file', 'purpose'],
  properties: {
    file: { type: 'string', format: 'binary' },
    purpose: { type: 'string', enum: ['assistants', 'batch', 'user_data', 'fine-tune'] },
    'expires_after[anchor]': { type: 'string', enum: ['created_at'] },
    'expires_after[seconds]': { type: 'integer', minimum: 3_600, maximum: 2_592_000 },
  },
};

/** OpenAI's Files API. */
@ApiTags('files')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('v1/files')
export class FilesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly files: FileStore,
    private readonly uploads: OpenUploads,
  ) {}

  @Post()
  @HttpCode(200)
  @OpenAiUpload()
  @ApiOperation({
    summary: 'Upload a file',
    description:
      'The content is encrypted with a key of the user. A file for a batch expires after 30 days ' +
      'unless the form says otherwise.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: FORM })
  @ApiOkResponse({ type: FileDto, description: 'The stored file.' })
  @FailsWith(
    'file_missing',
    'invalid_purpose',
    'invalid_expires_after',
    'file_too_large',
    'file_storage_full',
    'invalid_form',
    'too_many_uploads',
  )
  async upload(
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<FileDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const owner = { accountId, userId };
    const command = new UploadFileCommand(owner, multipartOf(request), context);
    return presentFile(await this.uploads.during(accountId, () => this.commands.execute(command)));
  }

  @Get()
  @OpenAiErrors()
  @ApiOperation({ summary: 'List files', description: 'The files of the account.' })
  @ApiOkResponse({ type: FileListDto, description: 'A page of files.' })
  @FailsWith('file_not_found')
  async list(
    @CurrentCaller() { accountId }: Caller,
    @Query() { after, limit, order, purpose }: FilesPageDto,
  ): Promise<FileListDto> {
    const page = { after: after ?? null, limit, order, purpose: purpose ?? null };
    return presentFiles(await this.queries.execute(new ListFilesQuery(accountId, page)));
  }

  @Get(':file_id')
  @OpenAiErrors()
  @ApiOperation({ summary: 'Get a file', description: 'Its owner and an Admin see a file.' })
  @ApiOkResponse({ type: FileDto, description: 'The file, without its content.' })
  @FailsWith('file_not_found')
  async retrieve(@Param() { file_id }: FileIdDto, @CurrentCaller() caller: Caller) {
    return presentFile(await this.files.find(file_id, readerOf(caller)));
  }

  @Get(':file_id/content')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Get the content of a file',
    description: 'The bytes that were uploaded. A damaged file ends the connection early.',
  })
  @ApiProduces('application/octet-stream')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' }, description: 'The content.' })
  @FailsWith('file_not_found')
  async content(
    @Param() { file_id }: FileIdDto,
    @CurrentCaller() caller: Caller,
  ): Promise<StreamableFile> {
    const file = await this.files.find(file_id, readerOf(caller));
    const content = Readable.from(await this.files.open(file), { objectMode: false });
    return new StreamableFile(content, {
      type: 'application/octet-stream',
      length: file.bytes,
      disposition: `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    });
  }

  @Delete(':file_id')
  @HttpCode(200)
  @OpenAiErrors()
  @ApiOperation({ summary: 'Delete a file', description: 'Its content is removed within an hour.' })
  @ApiOkResponse({ type: DeletedFileDto, description: 'The file is deleted.' })
  @FailsWith('file_not_found')
  async delete(
    @Param() { file_id: id }: FileIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DeletedFileDto> {
    const context = contextOf(request.id, `user:${caller.userId}`);
    await this.files.delete(id, readerOf(caller), context);
    return { id, object: 'file', deleted: true };
  }
}
