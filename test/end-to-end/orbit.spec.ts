import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine } from './command-line.fixture.js';
import { startWorld, type World } from './quipu.harness.js';

const SPACE = '/api/v1/space';
const ISS = `ISS (ZARYA)
1 25544U 98067A   25214.99489444  .00011799  00000+0  21211-3 0  9991
2 25544  51.6358  75.0680 0002052 141.2455 195.9660 15.50307000522418
`;
const HST = {
  OBJECT_NAME: 'HST',
  NORAD_CAT_ID: 20580,
  EPOCH: '2025-08-02T00:51:37.841760',
  MEAN_MOTION: 15.25748314,
  ECCENTRICITY: 0.0001709,
  INCLINATION: 28.4682,
  RA_OF_ASC_NODE: 94.0393,
  ARG_OF_PERICENTER: 235.5856,
  MEAN_ANOMALY: 124.4577,
  BSTAR: 0.00022305,
};
const AUGUST = { from: '2025-08-03T00:00:00Z', to: '2025-08-04T00:00:00Z' };
const QUITO = { name: 'Quito', latitude_deg: -0.215, longitude_deg: -78.5027, height_m: 3_000 };

type Body = Readonly<Record<string, unknown>>;

describe('passes of satellites', () => {
  let world: World;
  const cli = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([]);
  });

  afterAll(() => world.close());

  const get = async (route: string, query: object, status = 200): Promise<Body> => {
    const { body } = await request(world.quipu.url)
      .get(`${SPACE}/${route}`)
      .query(query)
      .set({ authorization: `Bearer ${world.credentials.api_key}` })
      .expect(status);
    return body as Body;
  };
  const post = async (route: string, sent: object, status = 200): Promise<Body> => {
    const { body } = await request(world.quipu.url)
      .post(`${SPACE}/${route}`)
      .set({ authorization: `Bearer ${world.credentials.api_key}` })
      .send(sent)
      .expect(status);
    return body as Body;
  };
  const passes = (query: object, status = 200) =>
    get('passes.php', { station_id: 1, satellite_id: 25_544, ...AUGUST, ...query }, status);

  it('are answered by a new installation, with a warning', async () => {
    const now = await get('passes.php', { station_id: 1, satellite_id: 25_338 });
    expect(now).toMatchObject({
      success: true,
      station: { name: 'Royal Observatory, Greenwich', registered_at: null },
      satellite: { name: 'NOAA 15', imported_at: null },
      min_elevation_deg: 10,
      frequency_hz: null,
      warning: expect.stringMatching(/days after the epoch of the elements/),
    });
    expect(now['element_age_days']).toBeGreaterThan(400);
    expect((now['passes'] as unknown[]).length).toBeGreaterThan(5);
  });

  it('have rise, culmination, closest approach and set', async () => {
    const found = await passes({ frequency_hz: 145_800_000 });
    expect(found).toMatchObject({ total_records: 5, total_pages: 1, warning: null });
    const [first] = found['passes'] as Body[];
    expect(first).toMatchObject({
      aos: { at: expect.stringMatching(/^2025-08-03T11:02:11\.\d{3}Z$/), elevation_deg: 10 },
      los: { at: expect.stringMatching(/^2025-08-03T11:07:27\.\d{3}Z$/), elevation_deg: 10 },
      tca: { doppler_hz: 0, sunlit: true },
      max_elevation_deg: 21.601,
      duration_sec: 316.63,
    });
    expect(first).toHaveProperty('aos.doppler_hz', 2_614.5);
  });

  it('come in pages', async () => {
    const all = await passes({});
    const second = await passes({ page: 2, limit: 2 });
    expect(second).toMatchObject({ page: 2, limit: 2, total_records: 5, total_pages: 3 });
    expect(second['passes']).toEqual((all['passes'] as Body[]).slice(2, 4));
  });

  it.each([
    [{ station_id: 99 }, 404, 'station_not_found', 'station_id'],
    [{ satellite_id: 99 }, 404, 'satellite_not_found', 'satellite_id'],
    [{ to: '2025-08-02T00:00:00Z' }, 400, 'orbit_window_invalid', 'to'],
    [{ to: '2025-09-04T00:00:00Z' }, 400, 'orbit_window_invalid', 'to'],
    [{ from: 'today' }, 400, 'invalid_request', 'from'],
    [{ min_elevation_deg: 90 }, 400, 'invalid_request', 'min_elevation_deg'],
    [
      { from: '2035-08-03T00:00:00Z', to: '2035-08-04T00:00:00Z' },
      422,
      'elements_decayed',
      'satellite_id',
    ],
  ])('are rejected by name: %j', async (query, status, code, param) => {
    expect(await passes(query, status)).toMatchObject({ success: false, code, param });
  });

  it('are drawn', async () => {
    const http = request(world.quipu.url);
    const key = { authorization: `Bearer ${world.credentials.api_key}` };
    for (const [route, query] of [
      ['sky_plot.svg', { station_id: 1, satellite_id: 25_544, ...AUGUST }],
      ['ground_track.svg', { satellite_id: 25_544, ...AUGUST }],
    ] as const) {
      const { headers, body } = await http.get(`${SPACE}/${route}`).query(query).set(key);
      expect(headers['content-type']).toMatch(/^image\/svg\+xml/);
      expect(String(body)).toMatch(
        /^<svg [^]*<polyline class="path" points="[^"]{200,}"\/>[^]*<\/svg>/,
      );
    }
  });

  it('are of stations that an Admin registers', async () => {
    const { station } = await post('stations', QUITO);
    expect(station).toMatchObject({ ...QUITO, min_elevation_deg: 10 });
    expect(await post('stations', QUITO)).toMatchObject({ station });
    expect(await post('stations', { ...QUITO, height_m: 1 }, 409)).toMatchObject({
      code: 'station_name_taken',
    });
    const { station_id: id } = station as Body;
    expect(await passes({ station_id: id })).toMatchObject({ station: QUITO });
    await cli.result('orbit', 'retire-station', String(id), '--yes');
    await passes({ station_id: id }, 404);
    const added = (await cli.result(
      ...['orbit', 'add-station', '--name', 'Svalbard'],
      ...['--latitude', '78.2298', '--longitude', '15.4078', '--height', '458'],
    )) as Body;
    expect(await get('stations', {})).toMatchObject({
      total_records: 1,
      stations: [{ station_id: added['station_id'], name: 'Svalbard', height_m: 458 }],
      built_in: [{ station_id: 1 }],
    });
  });

  it('are of elements that were imported', async () => {
    const data = JSON.stringify([HST]);
    expect(await post('elements', { data, source: 'CelesTrak' })).toMatchObject({
      format: 'omm_json',
      imported: 1,
      satellites: [{ satellite_id: 20_580, status: 'imported' }],
    });
    const file = path.join(world.home, 'iss.txt');
    await writeFile(file, ISS);
    const imported = await cli.result('orbit', 'import', file, '--source', 'CelesTrak');
    expect(imported).toMatchObject({ format: 'tle', imported: 1, unchanged: 0 });
    expect(await post('elements', { data: ISS, source: 'CelesTrak' })).toMatchObject({
      imported: 0,
      unchanged: 1,
    });
    expect(await passes({})).toMatchObject({ satellite: { source: 'CelesTrak' } });
    expect(await get('satellites', {})).toMatchObject({
      total_records: 2,
      satellites: [{ name: 'HST', element_format: 'omm' }, { name: 'ISS (ZARYA)' }],
    });
    expect(await post('elements', { data: 'ISS', source: 'me' }, 400)).toMatchObject({
      code: 'elements_invalid',
      param: 'data',
    });
  });
});
