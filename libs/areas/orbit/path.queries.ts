import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type SatelliteElements } from '#projections/orbit/satellites.projection.js';
import { OrbitBook } from './orbit-book.js';
import { reject } from './orbit.errors.js';
import { OrbitRunner } from './orbit-runner.js';
import { type AskedWindow, type OrbitWindow, windowOf } from './orbit-window.js';
import { type Pass, POINTS_MAX, type SkyPoint, type TrackPoint } from './orbits.engine.js';
import { type FoundPasses, type PassesAsked, PassesQuery } from './passes.query.js';

const TRACK_MS_DEFAULT = 2 * 3_600_000;
const TRACK_STEP_MS = 60_000;
const SKY_POINTS = 121;

export interface FoundTrack {
  readonly satellite: SatelliteElements;
  readonly window: OrbitWindow;
  readonly points: readonly TrackPoint[];
}

/** The points below a satellite, a minute or more apart. */
export class GroundTrackQuery extends Query<FoundTrack> {
  constructor(
    readonly accountId: string,
    readonly satelliteId: number,
    readonly asked: AskedWindow,
  ) {
    super();
  }
}

@QueryHandler(GroundTrackQuery)
export class GroundTrackHandler implements IQueryHandler<GroundTrackQuery> {
  constructor(
    private readonly book: OrbitBook,
    private readonly runner: OrbitRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError, OrbitFailure */
  async execute({ accountId, satelliteId, asked }: GroundTrackQuery): Promise<FoundTrack> {
    const satellite = await this.book.satellite(satelliteId);
    const window = windowOf(asked, this.clock.now(), TRACK_MS_DEFAULT);
    const minutes = Math.ceil((window.toMs - window.fromMs) / TRACK_STEP_MS);
    const { points } = await this.runner.run(accountId, {
      kind: 'track',
      elements: satellite.elements,
      ...window,
      points: Math.min(minutes + 1, POINTS_MAX),
    });
    return { satellite, window, points };
  }
}

export interface FoundSkyPath extends FoundPasses {
  readonly pass: Pass;
  readonly points: readonly SkyPoint[];
}

/** The path of the first pass of a window over the sky of the station. */
export class SkyPathQuery extends Query<FoundSkyPath> {
  constructor(
    readonly accountId: string,
    readonly asked: PassesAsked,
  ) {
    super();
  }
}

@QueryHandler(SkyPathQuery)
export class SkyPathHandler implements IQueryHandler<SkyPathQuery> {
  constructor(
    private readonly queries: QueryBus,
    private readonly runner: OrbitRunner,
  ) {}

  /** @throws DomainError, OrbitFailure */
  async execute({ accountId, asked }: SkyPathQuery): Promise<FoundSkyPath> {
    const found = await this.queries.execute(new PassesQuery(accountId, asked));
    const { station, satellite, window, passes } = found;
    const [pass] = passes;
    if (!pass) {
      return reject('pass_not_found', `${satellite.name} does not pass ${station.name} then`);
    }
    const { latitudeDeg, longitudeDeg, heightM } = station;
    const { points } = await this.runner.run(accountId, {
      kind: 'sky',
      elements: satellite.elements,
      place: { latitudeDeg, longitudeDeg, heightM },
      fromMs: pass.aos?.atMs ?? window.fromMs,
      toMs: pass.los?.atMs ?? window.toMs,
      points: SKY_POINTS,
    });
    return { ...found, pass, points };
  }
}
