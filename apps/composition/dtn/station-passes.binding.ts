import { type QueryBus } from '@nestjs/cqrs';
import { type PassWindow, StationPasses } from '#areas/dtn/station-passes.port.js';
import { PassesQuery } from '#areas/orbit/passes.query.js';

/** The plan computes on behalf of the installation, and takes turns as one account. */
const ACCOUNT = 'dtn-plan';

/** The passes of the area `orbit`, above the mask of the station. */
export class PassesOfStations extends StationPasses {
  constructor(private readonly queries: Pick<QueryBus, 'execute'>) {
    super();
  }

  override async find(
    stationId: number,
    satelliteId: number,
    fromMs: number,
    toMs: number,
  ): Promise<readonly PassWindow[]> {
    const asked = {
      stationId,
      satelliteId,
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      minElevationDeg: null,
    };
    const { passes, window } = await this.queries.execute(new PassesQuery(ACCOUNT, asked));
    return passes.map(({ aos, closest, highest, los }) => ({
      startMs: Math.ceil(aos?.atMs ?? window.fromMs),
      endMs: Math.floor(los?.atMs ?? window.toMs),
      closestMs: closest.atMs,
      rangeKmMax: Math.max(...[aos, closest, highest, los].map((point) => point?.rangeKm ?? 0)),
    }));
  }
}
