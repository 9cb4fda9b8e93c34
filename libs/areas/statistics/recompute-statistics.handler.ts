import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FoldedDocuments } from '#platform/runtime/history/folded-documents.js';
import { type LogPlaces } from '#platform/runtime/history/log-places.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CODEC, EVENT_STORE, LOG_PLACES, PROJECTIONS } from '#platform/runtime/tokens.js';
import { type PlatformFigures, platformFigures } from './figures.js';
import { STATISTICS_SETTINGS, type StatisticsSettings } from './statistics.settings.js';
import { statisticsProjections } from './statistics.projections.js';
import { timespanMs } from './timespan.js';

/** One figure that the read models and the log do not agree on. */
export interface FigureDifference {
  readonly timespan: string;
  /** The path of the figure, such as `revenueTrendUsd.3`. */
  readonly figure: string;
  readonly served: unknown;
  readonly recomputed: unknown;
}

export interface Recomputation {
  /** How many events of the log the figures reflect. */
  readonly position: bigint;
  /** Epoch milliseconds. */
  readonly readAt: number;
  readonly timespans: readonly string[];
  /** Figures that were compared. */
  readonly figures: number;
  readonly differences: readonly FigureDifference[];
}

/** Folds the log from its first event, and compares with the figures that are served. */
export class RecomputeStatisticsQuery extends Query<Recomputation> {
  constructor(
    /** How many events of the log count. Default: all. */
    readonly size: bigint | undefined,
    readonly timespans: readonly string[],
    readonly onProgress: (position: bigint, upTo: bigint) => void = () => undefined,
  ) {
    super();
  }
}

@QueryHandler(RecomputeStatisticsQuery)
export class RecomputeStatisticsHandler implements IQueryHandler<RecomputeStatisticsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(LOG_PLACES) private readonly places: LogPlaces,
    @Inject(CODEC) private readonly codec: EventCodec,
    @Inject(STATISTICS_SETTINGS) private readonly settings: StatisticsSettings,
  ) {}

  async execute({ size, timespans, onProgress }: RecomputeStatisticsQuery): Promise<Recomputation> {
    const { eventStore, codec } = this;
    const { groupMin } = this.settings;
    const lengths = timespans.map((timespan) => ({ timespan, lengthMs: timespanMs(timespan) }));
    const asOf = size === undefined ? { position: await eventStore.head() } : { size };
    const served = await this.projections.at(asOf);
    const { position, readAt: nowMs } = served;
    const moment = { position, at: nowMs };
    const onPage = (read: bigint): void => onProgress(read < position ? read : position, position);
    const folded = await FoldedDocuments.fold(
      statisticsProjections,
      eventStore,
      codec,
      moment,
      onPage,
    );
    const differences: FigureDifference[] = [];
    let figures = 0;
    for (const { timespan, lengthMs } of lengths) {
      const terms = { lengthMs, groupMin, nowMs };
      const [one, other] = [
        await platformFigures(served, terms),
        await platformFigures(folded, terms),
      ].map(leavesOf);
      for (const figure of new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])) {
        figures += 1;
        const [is, should] = [one?.get(figure), other?.get(figure)];
        if (is !== should) differences.push({ timespan, figure, served: is, recomputed: should });
      }
    }
    const counted = await this.places.sizeAt(position);
    return { position: counted, readAt: nowMs, timespans, figures, differences };
  }
}

/** Every number, string and null of the figures, by its path. */
const leavesOf = (figures: PlatformFigures): ReadonlyMap<string, unknown> => {
  const leaves = new Map<string, unknown>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) {
      leaves.set(path, value);
      return;
    }
    for (const [key, inner] of Object.entries(value)) walk(inner, path ? `${path}.${key}` : key);
  };
  walk(figures, '');
  return leaves;
};
