import { Controller, Get, Query, StreamableFile, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type PassesAsked, PassesQuery } from '#areas/orbit/passes.query.js';
import { GroundTrackQuery, SkyPathQuery } from '#areas/orbit/path.queries.js';
import { instantOf } from '../fields/instant.validator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { GroundTrackQueryDto, PassesQueryDto, PassListDto, SkyPlotQueryDto } from './orbit.dto.js';
import { presentPasses } from './orbit.presenter.js';
import { groundTrackSvg, skyPlotSvg } from './orbit.svg.js';

const SVG = 'image/svg+xml';
const PICTURE = { schema: { type: 'string' } } as const;

/** Passes of satellites over ground stations. */
@ApiTags('orbit')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@FailsWith(
  'satellite_not_found',
  'elements_decayed',
  'elements_not_propagable',
  'orbit_window_invalid',
  'orbit_busy',
  'orbit_unavailable',
  'orbit_failed',
)
@Scope('inference')
@Controller('api/v1/space')
export class PassesController {
  constructor(private readonly queries: QueryBus) {}

  @Get('passes.php')
  @ApiOperation({
    summary: 'List the passes of a satellite over a ground station',
    description:
      'Computed by SGP4 from the elements in force. `element_age_days` and `warning` say how far ' +
      'they can be trusted. A pass that the window cuts has no `aos` or no `los`. Send `from` ' +
      'with every page. A search is free.',
  })
  @ApiOkResponse({ type: PassListDto, description: 'The passes of the window.' })
  @FailsWith('station_not_found')
  async passes(
    @Query() query: PassesQueryDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<PassListDto> {
    const found = await this.queries.execute(new PassesQuery(accountId, askedOf(query)));
    return presentPasses(query, found);
  }

  @Get('sky_plot.svg')
  @ApiOperation({
    summary: 'Draw a pass over the sky of a ground station',
    description: 'The first pass of the window: green where it begins, red where it ends.',
  })
  @ApiProduces(SVG)
  @ApiOkResponse({ ...PICTURE, description: 'A polar plot with the zenith in its middle.' })
  @FailsWith('station_not_found', 'pass_not_found')
  async skyPlot(
    @Query() query: SkyPlotQueryDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<StreamableFile> {
    const found = await this.queries.execute(new SkyPathQuery(accountId, askedOf(query)));
    return picture(skyPlotSvg(found));
  }

  @Get('ground_track.svg')
  @ApiOperation({
    summary: 'Draw the ground track of a satellite',
    description: 'On a map of equal degrees: green where it begins, red where it ends.',
  })
  @ApiProduces(SVG)
  @ApiOkResponse({ ...PICTURE, description: 'The track, without coastlines.' })
  async groundTrack(
    @Query() { satellite_id: satelliteId, from, to }: GroundTrackQueryDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<StreamableFile> {
    const window = { from: isoOrNull(from), to: isoOrNull(to) };
    const found = await this.queries.execute(new GroundTrackQuery(accountId, satelliteId, window));
    return picture(groundTrackSvg(found));
  }
}

const isoOrNull = (text: string | undefined): string | null =>
  text === undefined ? null : instantOf(text);

const askedOf = (query: SkyPlotQueryDto): PassesAsked => ({
  stationId: query.station_id,
  satelliteId: query.satellite_id,
  from: isoOrNull(query.from),
  to: isoOrNull(query.to),
  minElevationDeg: query.min_elevation_deg ?? null,
});

const picture = (svg: string): StreamableFile => {
  const content = Buffer.from(svg);
  return new StreamableFile(content, { type: SVG, length: content.length });
};
