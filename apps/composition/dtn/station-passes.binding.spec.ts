import { describe, expect, it } from '@jest/globals';
import { type QueryBus } from '@nestjs/cqrs';
import { type PassesQuery } from '#areas/orbit/passes.query.js';
import { PassesOfStations } from './station-passes.binding.js';

const point = (atMs: number, rangeKm: number) => ({ atMs, rangeKm });

describe('the passes of stations', () => {
  it('are windows with their greatest distance, cut by the search', async () => {
    const asked: PassesQuery[] = [];
    const queries = {
      execute: (query: PassesQuery) => {
        asked.push(query);
        return Promise.resolve({
          window: { fromMs: 1_000, toMs: 9_000 },
          passes: [
            {
              aos: null,
              highest: point(1_500, 700),
              closest: point(1_600, 690),
              los: point(2_000.4, 2_100),
            },
            {
              aos: point(8_000.6, 2_200),
              highest: point(8_500, 700),
              closest: point(8_600, 690),
              los: null,
            },
          ],
        });
      },
    } as unknown as QueryBus;
    const passes = new PassesOfStations(queries);
    expect(await passes.find(1, 25_338, 1_000, 9_000)).toEqual([
      { startMs: 1_000, endMs: 2_000, closestMs: 1_600, rangeKmMax: 2_100 },
      { startMs: 8_001, endMs: 9_000, closestMs: 8_600, rangeKmMax: 2_200 },
    ]);
    expect(asked[0]?.asked).toEqual({
      stationId: 1,
      satelliteId: 25_338,
      from: '1970-01-01T00:00:01.000Z',
      to: '1970-01-01T00:00:09.000Z',
      minElevationDeg: null,
    });
  });
});
