import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { FileSync } from '#areas/rentals/sync/file-sync.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { RequestRates } from '../identity/request-rates.js';
import { demandTerms } from '../identity/route-terms.js';
import { Scope } from '../identity/scope.decorator.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { formPartsWith } from '../uploads/form-parts.js';
import { OpenUploads } from '../uploads/open-uploads.js';
import { FormUpload } from '../uploads/uploads.js';
import { FileSyncDto } from './rentals.dto.js';
import { CONTENT_FIELD, SyncForm } from './sync-form.js';

const FORM = {
  type: 'object',
  required: ['api_key', 'job_id', 'file_path', 'file_content'],
  properties: {
    api_key: { type: 'string', description: 'A renter key, or an API key of the account.' },
    job_id: { type: 'integer', minimum: 1, description: 'Of a running rental.' },
    file_path: { type: 'string', description: 'Relative to the workspace, with slashes.' },
    file_content: { type: 'string', format: 'binary', description: 'The file, or its delta.' },
    is_delta: {
      type: 'integer',
      enum: [0, 1],
      default: 0,
      description: '1: the content is a delta, VCDIFF (RFC 3284) or BSDIFF40.',
    },
    checksum: { type: 'string', description: 'SHA-256 or MD5, in hex, of the file as it will be.' },
    base_checksum: {
      type: 'string',
      description: 'SHA-256 or MD5, in hex, of the file that the delta was made from.',
    },
  },
};

const SCOPE = 'inference';

/** Hot-sync of files into a running rental. Its credential is a field of the form. */
@ApiTags('rentals')
@Scope(SCOPE)
@Controller('api/jobs')
export class FileSyncController {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly rates: RequestRates,
    private readonly uploads: OpenUploads,
    private readonly files: FileSync,
  ) {}

  @Post('sync_file')
  @HttpCode(200)
  @FormUpload()
  @ApiOperation({
    summary: 'Sync a file into a running rental',
    description:
      'Replaces the file in one step, or leaves it as it was. Send `api_key` and `job_id` before ' +
      '`file_content`: content that comes before them may have 16 KiB.',
  })
  @ApiConsumes('multipart/form-data', 'application/x-www-form-urlencoded')
  @ApiBody({ schema: FORM })
  @ApiOkResponse({ type: FileSyncDto, description: 'The file as it is in the workspace now.' })
  @FailsWith(
    'sync_parameters_missing',
    'sync_parameter_invalid',
    'sync_path_invalid',
    'invalid_form',
    'sync_key_invalid',
    'too_many_attempts',
    'sync_job_not_found',
    'sync_not_a_file',
    'sync_base_missing',
    'sync_base_mismatch',
    'sync_file_too_large',
    'sync_delta_invalid',
    'sync_checksum_mismatch',
    'too_many_uploads',
    'workspace_unreachable',
  )
  async sync(@Req() request: FastifyRequest): Promise<FileSyncDto> {
    let end = (): void => undefined;
    const admit = (caller: Caller): void => {
      demandTerms(caller, { scope: SCOPE }, request);
      this.rates.take(caller);
      end = this.uploads.begin(caller.accountId);
      request.caller = caller;
    };
    const form = new SyncForm(this.authenticator, admit, this.files);
    const left = new AbortController();
    const abort = (): void => left.abort(new Error('the caller left'));
    request.raw.socket.once('close', abort);
    try {
      const { rental, order, incoming } = await form.read(formPartsWith(request, CONTENT_FIELD));
      const context = contextOf(request.id, `user:${rental.userId}`);
      const synced = await this.files.sync(rental, order, incoming, left.signal, context);
      return {
        success: true,
        message: 'File synced.',
        file_path: synced.filePath,
        size: synced.bytes,
        checksum: synced.checksum,
      };
    } finally {
      end();
      request.raw.socket.off('close', abort);
    }
  }
}
