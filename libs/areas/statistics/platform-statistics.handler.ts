import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, EVENT_STORE, PROJECTIONS } from '#platform/runtime/tokens.js';
import { type PlatformFigures, platformFigures } from './figures.js';
import { STATISTICS_SETTINGS, type StatisticsSettings } from './statistics.settings.js';
import { timespanMs } from './timespan.js';

export interface PlatformStatistics {
  readonly figures: PlatformFigures;
  /** A figure of fewer accounts or nodes is null. */
  readonly groupMin: number;
  /** The log position of every figure. */
  readonly position: bigint;
  /** The instant that is "now" in the figures, in epoch milliseconds. */
  readonly nowMs: number;
}

/** The figures of the platform over a timespan such as `24h` or `30d`. */
export class PlatformStatisticsQuery extends Query<PlatformStatistics> {
  constructor(
    readonly timespan: string,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(PlatformStatisticsQuery)
export class PlatformStatisticsHandler implements IQueryHandler<PlatformStatisticsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(STATISTICS_SETTINGS) private readonly settings: StatisticsSettings,
  ) {}

  async execute({ timespan, asOf }: PlatformStatisticsQuery): Promise<PlatformStatistics> {
    const lengthMs = timespanMs(timespan);
    const { groupMin } = this.settings;
    // One position for all figures, also while the log grows.
    const reader = await this.projections.at(asOf ?? { position: await this.eventStore.head() });
    const nowMs = asOf === undefined ? this.clock.now() : reader.readAt;
    const figures = await platformFigures(reader, { lengthMs, groupMin, nowMs });
    return { figures, groupMin, position: reader.position, nowMs };
  }
}
