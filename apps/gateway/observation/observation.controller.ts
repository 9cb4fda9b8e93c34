import { Readable } from 'node:stream';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { DeleteObservationCommand } from '#areas/observation/change-observation.handlers.js';
import { REQUEST_MS_MAX } from '#areas/observation/ingest-admission.js';
import {
  IngestObservationCommand,
  type IngestOrder,
} from '#areas/observation/ingest-observation.handler.js';
import {
  ObservationContentQuery,
  ObservationQuery,
  ObservationsQuery,
} from '#areas/observation/observation.queries.js';
import { reject } from '#areas/observation/observation.errors.js';
import { type Clock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { instantOf } from '../fields/instant.validator.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { DoneDto } from '../identity/auth.dto.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { costHeaders } from '../inference/chat.headers.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import {
  IngestedDto,
  IngestOrderDto,
  ObservationAnswerDto,
  ObservationListDto,
  ObservationsPageDto,
} from './observation.dto.js';
import {
  presentIngested,
  presentObservation,
  presentObservations,
} from './observation.presenter.js';

const BINARY = { schema: { type: 'string', format: 'binary' } } as const;
const ObservationIdParam = () => ApiParam({ name: 'id', description: 'The id of the ingest.' });

/** Images of the Earth. */
@ApiTags('observation')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/space')
export class ObservationController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly requests: OpenRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('eo_ingest.php')
  @HttpCode(200)
  @Idempotent({ settle: PaidSettler })
  @ApiOperation({
    summary: 'Ingest an image of the Earth',
    description:
      'Decompresses the payload within a limit, decodes every sample of a GeoTIFF and checks its ' +
      'place against `target_region`. `ingested_verified` says that all of it succeeded; ' +
      'anything else is kept as `stored_unverified`, and `problem` says why. The bytes that were ' +
      'read are charged, also of a duplicate and of a payload above the limit; storage is in ' +
      'the price.',
  })
  @ApiOkResponse({ type: IngestedDto, description: 'The image, as it is stored.' })
  @FailsWith(
    'observation_payload_invalid',
    'observation_region_invalid',
    'observation_file_not_found',
    'observation_too_large',
    'observation_store_full',
    'observation_not_priced',
    'observation_busy',
    'observation_unavailable',
    'request_timed_out',
  )
  async ingest(
    @Body() body: IngestOrderDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<IngestedDto> {
    const order: IngestOrder = {
      accountId,
      userId,
      receivedAtMs: this.clock.now(),
      satelliteId: body.satellite_id,
      sensorType: body.sensor_type,
      targetRegion: body.target_region ?? null,
      groundStation: body.ground_station ?? null,
      acquiredAt: body.acquired_at === undefined ? null : instantOf(body.acquired_at),
      payload: payloadOf(body),
      context: callerContext(request, { userId, credential }),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const open = this.requests.open(REQUEST_MS_MAX);
    try {
      const answer = await this.commands.execute(new IngestObservationCommand(order, open.signal));
      void reply.headers(costHeaders(answer.entry));
      return presentIngested(answer);
    } finally {
      open.close();
    }
  }

  @Get('observations')
  @ApiOperation({ summary: 'List the images', description: 'The newest acquisition first.' })
  @ApiOkResponse({ type: ObservationListDto, description: 'A page of images.' })
  async list(
    @Query() query: ObservationsPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<ObservationListDto> {
    const { page, limit } = query;
    const found = await this.queries.execute(new ObservationsQuery(accountId, page, limit));
    return presentObservations(query, found);
  }

  @Get('observations/:id')
  @ApiOperation({
    summary: 'Get an image',
    description: 'Its description. An Admin sees the images of all accounts.',
  })
  @ObservationIdParam()
  @ApiOkResponse({ type: ObservationAnswerDto, description: 'The image.' })
  @FailsWith('observation_not_found')
  async find(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
  ): Promise<ObservationAnswerDto> {
    const found = await this.queries.execute(new ObservationQuery(id, readerOf(caller)));
    return { success: true, observation: presentObservation(found) };
  }

  @Get('observations/:id/content')
  @ApiOperation({
    summary: 'Download an image',
    description: 'The bytes as they were sent, without the compression of the payload.',
  })
  @ObservationIdParam()
  @ApiProduces('image/tiff', 'application/octet-stream')
  @ApiOkResponse({ ...BINARY, description: 'The image.' })
  @FailsWith('observation_not_found')
  async content(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<StreamableFile> {
    const query = new ObservationContentQuery(id, 'image', readerOf(caller));
    const { observation, bytes, content } = await this.queries.execute(query);
    const [type = ''] = observation.mediaType.split(';');
    return new StreamableFile(Readable.from(content), { type, length: bytes });
  }

  @Get('observations/:id/preview.png')
  @ApiOperation({
    summary: 'Show an image',
    description: 'At most 512 pixels on a side. Samples that are no bytes are stretched.',
  })
  @ObservationIdParam()
  @ApiProduces('image/png')
  @ApiOkResponse({ ...BINARY, description: 'A PNG.' })
  @FailsWith('observation_not_found', 'observation_preview_missing')
  async preview(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<StreamableFile> {
    const query = new ObservationContentQuery(id, 'preview', readerOf(caller));
    const { bytes, content } = await this.queries.execute(query);
    return new StreamableFile(Readable.from(content), { type: 'image/png', length: bytes });
  }

  @Delete('observations/:id')
  @HttpCode(200)
  @ApiOperation({ summary: 'Delete an image', description: 'With its bytes and its STAC item.' })
  @ObservationIdParam()
  @ApiOkResponse({ type: DoneDto, description: 'The image is deleted.' })
  @FailsWith('observation_not_found')
  async delete(
    @Param('id') id: string,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new DeleteObservationCommand(id, accountId, context));
    return { success: true, message: 'The image was deleted.' };
  }
}

/** @throws DomainError unless exactly one of both is there */
const payloadOf = ({
  compressed_payload_hex: hex,
  file_id: fileId,
}: IngestOrderDto): IngestOrder['payload'] => {
  if (hex !== undefined && fileId === undefined) return { hex };
  if (fileId !== undefined && hex === undefined) return { fileId };
  const detail = 'compressed_payload_hex: expected exactly one of this field and file_id';
  return reject('observation_payload_invalid', detail);
};
