import { Readable } from 'node:stream';
import {
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Req,
  Res,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { bodyOfForm, readImageBody } from '#areas/images/image-body.js';
import { reject } from '#areas/images/images.errors.js';
import { ImageFiles } from '#areas/images/ports.js';
import { demandValid } from '../embeddings/embedding-exchange.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { multipartOf } from '../uploads/form-parts.js';
import { OpenUploads } from '../uploads/open-uploads.js';
import { OpenAiUpload } from '../uploads/uploads.js';
import { ImageExchange } from './image-exchange.js';
import { readImageForm } from './image-form.js';
import { EditImageDocs, GenerateImagesDocs } from './images.docs.js';
import { ImageIdDto, type ImageResultDto } from './images.dto.js';

const TYPE = 'image/png';

/** Pictures, at the addresses of OpenAI's clients and of the application. */
@Scope('inference')
@Controller()
@UseGuards(ApiGuard)
export class ImagesController {
  constructor(
    private readonly exchange: ImageExchange,
    private readonly files: ImageFiles,
    private readonly uploads: OpenUploads,
  ) {}

  @Post(['v1/images/generations', 'api/v1/images/generations'])
  @HttpCode(200)
  @OpenAiErrors()
  @GenerateImagesDocs()
  @Idempotent({ settle: PaidSettler })
  generate(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<ImageResultDto> {
    const asked = demandValid(readImageBody(request.body));
    return this.exchange.make({ caller, request, reply, attempt }, asked, null);
  }

  @Post(['v1/images/edits', 'api/v1/images/edits'])
  @HttpCode(200)
  @OpenAiUpload()
  @EditImageDocs()
  async edit(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImageResultDto> {
    const { fields, image } = await this.uploads.during(caller.accountId, () =>
      readImageForm(multipartOf(request)),
    );
    const asked = demandValid(readImageBody(bodyOfForm(fields)));
    return this.exchange.make({ caller, request, reply }, asked, image);
  }

  @Get('api/v1/images/:id')
  @ApiTags('images')
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'Get a picture',
    description: 'Its account and an Admin get the PNG file, until it expires.',
  })
  @ApiProduces(TYPE)
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' }, description: 'The PNG file.' })
  @FailsWith('image_not_found')
  async find(
    @Param() { id }: ImageIdDto,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const file = await this.files.find(id, readerOf(caller));
    if (!file) return reject('image_not_found', `there is no picture ${id}`);
    if (file.expiresAt !== null) {
      void reply.header('expires', new Date(file.expiresAt).toUTCString());
    }
    void reply.header('cache-control', 'private').header('x-content-type-options', 'nosniff');
    const content = Readable.from(await file.content(), { objectMode: false });
    return new StreamableFile(content, { type: TYPE, length: file.bytes });
  }
}
