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
  RegisterStationCommand,
  RetireStationCommand,
} from '#areas/orbit/change-stations.handlers.js';
import { ImportElementsCommand } from '#areas/orbit/import-elements.handler.js';
import { SatellitesQuery, StationsQuery } from '#areas/orbit/list.queries.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { DoneDto } from '../identity/auth.dto.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  ImportedElementsDto,
  ImportElementsDto,
  OrbitPageDto,
  RegisterStationDto,
  SatelliteListDto,
  StationAnswerDto,
  StationIdDto,
  StationListDto,
} from './orbit.dto.js';
import {
  presentImported,
  presentRegistered,
  presentSatellites,
  presentStations,
} from './orbit.presenter.js';

/** The ground stations and elements that passes are computed from. All accounts share them. */
@ApiTags('orbit')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/space')
export class StationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('stations')
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'List the ground stations',
    description: 'The registered stations by id, and the stations that ship with Quipu.',
  })
  @ApiOkResponse({ type: StationListDto, description: 'A page of stations.' })
  async stations(@Query() query: OrbitPageDto): Promise<StationListDto> {
    const found = await this.queries.execute(new StationsQuery(query.page, query.limit));
    return presentStations(query, found);
  }

  @Post('stations')
  @Scope('operate')
  @HttpCode(200)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @Idempotent()
  @ApiOperation({
    summary: 'Register a ground station',
    description: 'Only for an Admin. The same station again has the same id.',
  })
  @ApiOkResponse({ type: StationAnswerDto, description: 'The station.' })
  @FailsWith('station_name_taken', 'too_many_stations', 'station_not_found')
  async register(
    @Body() body: RegisterStationDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StationAnswerDto> {
    const station = {
      name: body.name,
      latitudeDeg: body.latitude_deg,
      longitudeDeg: body.longitude_deg,
      heightM: body.height_m,
      minElevationDeg: body.min_elevation_deg,
    };
    const context = contextOf(request.id, `user:${userId}`);
    return presentRegistered(
      await this.commands.execute(new RegisterStationCommand(station, context)),
    );
  }

  @Delete('stations/:station_id')
  @Scope('operate')
  @HttpCode(200)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @ApiOperation({
    summary: 'Retire a ground station',
    description: 'Only for an Admin. Its id is not given again.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The station is retired.' })
  @FailsWith('station_not_found', 'station_built_in')
  async retire(
    @Param() { station_id: stationId }: StationIdDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new RetireStationCommand(stationId, context));
    return { success: true, message: 'The station was retired.' };
  }

  @Get('satellites')
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'List the satellites',
    description:
      'Satellites with imported elements by id, and the satellites that ship with Quipu.',
  })
  @ApiOkResponse({ type: SatelliteListDto, description: 'A page of satellites.' })
  async satellites(@Query() query: OrbitPageDto): Promise<SatelliteListDto> {
    const found = await this.queries.execute(new SatellitesQuery(query.page, query.limit));
    return presentSatellites(query, found);
  }

  @Post('elements')
  @Scope('operate')
  @HttpCode(200)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @Idempotent()
  @ApiOperation({
    summary: 'Import elements of satellites',
    description:
      'Only for an Admin. Elements in force change for newer ones only. A text with a fault ' +
      'imports nothing.',
  })
  @ApiOkResponse({ type: ImportedElementsDto, description: 'The imported elements.' })
  @FailsWith('elements_invalid')
  async import(
    @Body() { data, source }: ImportElementsDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<ImportedElementsDto> {
    const context = contextOf(request.id, `user:${userId}`);
    return presentImported(
      await this.commands.execute(new ImportElementsCommand(data, source, context)),
    );
  }
}
