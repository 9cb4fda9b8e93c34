import { addAbortSignal, Readable } from 'node:stream';
import {
  Controller,
  Get,
  HttpStatus,
  Inject,
  Query,
  Req,
  Res,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type DownloadFile, PackageDownloads } from '#areas/packages/package-downloads.js';
import { PACKAGE_SETTINGS, type PackageSettings } from '#areas/packages/packages.settings.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { rangeAsked } from './byte-range.js';
import { DownloadPackageDto } from './packages.dto.js';

const TYPE = 'application/x-tar';
const BINARY = { type: 'string', format: 'binary' } as const;

/** Downloads of packages. */
@ApiTags('packages')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/scif')
export class PackageDownloadController {
  constructor(
    private readonly downloads: PackageDownloads,
    private readonly requests: OpenRequests,
    @Inject(PACKAGE_SETTINGS) private readonly settings: PackageSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('download')
  @ApiOperation({
    summary: 'Download a package',
    description:
      'Its account alone may. One range of bytes can be asked for, to resume a download. ' +
      '`Repr-Digest` (RFC 9530) has the SHA-256 of the whole file. The bytes that were sent are ' +
      'charged; HEAD is free.',
  })
  @ApiProduces(TYPE)
  @ApiOkResponse({ schema: BINARY, description: 'The package.' })
  @ApiResponse({ status: 206, schema: BINARY, description: 'The bytes of the range.' })
  @FailsWith(
    'package_not_found',
    'package_not_ready',
    'package_expired',
    'package_range_unsatisfiable',
    'package_downloads_busy',
    'package_not_priced',
    'insufficient_balance',
    'budget_exceeded',
    'request_timed_out',
  )
  async download(
    @Query() { package_uuid: uuid, part }: DownloadPackageDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const file = await this.downloads.find(accountId, uuid, part);
    const entityTag = `"${file.sha256}"`;
    // Of an answer 416.
    void reply.header('content-range', `bytes */${file.bytes}`);
    const asked = rangeAsked(request.headers, file.bytes, entityTag);
    void reply.removeHeader('content-range');
    const range = asked ?? { start: 0, end: file.bytes };
    void reply.headers({ ...headersOf(file), etag: entityTag });
    if (asked) {
      void reply.status(HttpStatus.PARTIAL_CONTENT);
      void reply.header('content-range', `bytes ${range.start}-${range.end - 1}/${file.bytes}`);
    }
    const length = range.end - range.start;
    if (request.method === 'HEAD') {
      return new StreamableFile(Readable.from([]), { type: TYPE, length });
    }
    const open = this.requests.open(this.settings.downloadMsMax);
    try {
      const content = await this.downloads.open({
        accountId,
        receivedAtMs: this.clock.now(),
        context: callerContext(request, { userId, credential }),
        file,
        range,
        signal: open.signal,
      });
      const stream = addAbortSignal(open.signal, Readable.from(content, { objectMode: false }));
      return new StreamableFile(
        stream.once('close', () => open.close()),
        { type: TYPE, length },
      );
    } catch (error) {
      open.close();
      throw error;
    }
  }
}

const headersOf = ({ name, sha256 }: DownloadFile): Readonly<Record<string, string>> => ({
  'accept-ranges': 'bytes',
  'content-disposition': `attachment; filename="${name}"`,
  'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
});
