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
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { Readable } from 'node:stream';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { CancelBundleCommand } from '#areas/dtn/change-bundle.handlers.js';
import {
  BundleContentQuery,
  BundleQuery,
  BundlesQuery,
  RoutesQuery,
} from '#areas/dtn/dtn.queries.js';
import { HandOverBundleCommand } from '#areas/dtn/hand-over.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Clock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  BundleAnswerDto,
  BundleListDto,
  BundleOrderDto,
  BundlesPageDto,
  HandedOverDto,
  RouteOrderDto,
  RoutesDto,
} from './dtn.dto.js';
import {
  presentAnswer,
  presentBundles,
  presentHandedOver,
  presentRoutes,
} from './dtn.presenter.js';

const BundleIdParam = () => ApiParam({ name: 'id', description: 'The id of the bundle.' });

/** Bundles of the delay-tolerant network. */
@ApiTags('dtn')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/dtn')
export class BundlesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('bundle.php')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Hand a bundle over',
    description:
      'Encodes a bundle (RFC 9171), holds the price of its lifetime, stores it durably and plans ' +
      'its route over the contacts to come. When it ends, the hours of custody that have begun ' +
      'are charged and the rest of the hold is freed. `custody_accepted` is false, with the ' +
      'reason, for a lifetime of 0 and for a full store. A bundle is forwarded over the links ' +
      'of the installation (TCPCLv4) when a contact of its route is open; it can be cancelled ' +
      'until then. `status` says how far it is.',
  })
  @ApiOkResponse({ type: HandedOverDto, description: 'Whether this node has custody.' })
  @FailsWith(
    'dtn_eid_invalid',
    'dtn_payload_invalid',
    'dtn_destination_local',
    'dtn_not_priced',
    'insufficient_balance',
    'budget_exceeded',
    'too_many_waiting_bundles',
    'orbit_busy',
    'orbit_unavailable',
    'orbit_failed',
  )
  async handOver(
    @Body() body: BundleOrderDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<HandedOverDto> {
    const order = {
      accountId,
      userId,
      source: body.source_eid,
      destination: body.destination_eid,
      payload: body.payload_hex,
      priority: body.priority,
      lifetimeSec: body.lifetime_seconds,
    };
    const context = callerContext(request, { userId, credential });
    const bundle = await this.commands.execute(new HandOverBundleCommand(order, context));
    return presentHandedOver({ bundle, atMs: this.clock.now() });
  }

  @Get('bundles')
  @ApiOperation({
    summary: 'List the bundles',
    description: 'All bundles that the account has handed over, also the ended ones.',
  })
  @ApiOkResponse({ type: BundleListDto, description: 'A page of bundles.' })
  async list(
    @Query() query: BundlesPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<BundleListDto> {
    const { page, limit } = query;
    return presentBundles(
      query,
      await this.queries.execute(new BundlesQuery(accountId, page, limit)),
    );
  }

  @Get('bundles/:id')
  @ApiOperation({
    summary: 'Get a bundle',
    description: 'With its history and its route. An Admin sees the bundles of all accounts.',
  })
  @BundleIdParam()
  @ApiOkResponse({ type: BundleAnswerDto, description: 'The bundle.' })
  @FailsWith('bundle_not_found')
  async find(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<BundleAnswerDto> {
    return presentAnswer(await this.queries.execute(new BundleQuery(id, readerOf(caller))));
  }

  @Get('bundles/:id/content')
  @ApiOperation({
    summary: 'Download a bundle',
    description: 'The encoded bundle, as it is to travel, while this node has custody.',
  })
  @BundleIdParam()
  @ApiProduces('application/cbor')
  @ApiOkResponse({
    schema: { type: 'string', format: 'binary' },
    description: 'CBOR of RFC 9171.',
  })
  @FailsWith('bundle_not_found', 'bundle_ended')
  async content(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<StreamableFile> {
    const query = new BundleContentQuery(id, readerOf(caller));
    const { bytes, content } = await this.queries.execute(query);
    return new StreamableFile(Readable.from(content), { type: 'application/cbor', length: bytes });
  }

  @Delete('bundles/:id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Cancel a bundle',
    description: 'Ends the custody and frees what the bundle has booked.',
  })
  @BundleIdParam()
  @ApiOkResponse({ type: BundleAnswerDto, description: 'The cancelled bundle.' })
  @FailsWith('bundle_not_found', 'bundle_ended')
  async cancel(
    @Param('id') id: string,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<BundleAnswerDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const bundle = await this.commands.execute(new CancelBundleCommand(id, accountId, context));
    return presentAnswer({ bundle, atMs: this.clock.now() });
  }

  @Post('routes')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Explain routes',
    description:
      'How a bundle would travel over the contacts of the next 7 days, with alternatives. ' +
      'Nothing is sent and nothing is booked. `gaps` has the links without contacts.',
  })
  @ApiOkResponse({ type: RoutesDto, description: 'The routes, the first to arrive first.' })
  @FailsWith(
    'dtn_eid_invalid',
    'too_many_route_searches',
    'orbit_busy',
    'orbit_unavailable',
    'orbit_failed',
  )
  async routes(
    @Body() body: RouteOrderDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<RoutesDto> {
    const asked = {
      source: body.source_eid ?? null,
      destination: body.destination_eid,
      bytes: body.bundle_bytes,
      lifetimeSec: body.lifetime_seconds,
      priority: body.priority,
      alternatives: body.alternatives,
    };
    return presentRoutes(await this.queries.execute(new RoutesQuery(accountId, asked)));
  }
}
