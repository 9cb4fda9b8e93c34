import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PNG } from 'pngjs';
import request from 'supertest';
import { CommandLine } from './command-line.fixture.js';
import { scriptedCatalog, startWorld, type World } from './quipu.harness.js';
import { collectionFaults, itemFaults } from './stac-schemas.fixture.js';

const vectors = path.resolve(import.meta.dirname, '../oracles/rasters/vectors.json');
const { files } = JSON.parse(readFileSync(vectors, 'utf8')) as {
  readonly files: readonly { readonly name: string; readonly tiff: string }[];
};
const tiffOf = (name: string): Buffer =>
  Buffer.from(files.find((one) => one.name === name)?.tiff ?? '', 'base64');

type Body = Readonly<Record<string, unknown>>;

const SPACE = '/api/v1/space';
const STAC = '/api/v1/stac';
const STORED = 6;

describe('images of the Earth', () => {
  let world: World;
  const cli = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([], {
      environment: { QUIPU_OBSERVATION_IMAGES: String(STORED) },
      catalogOf: (baseUrl) => `${scriptedCatalog(baseUrl)}
meters:
  - { meter: observation_bytes, usd: 0.05, per: 1000000000 }
`,
    });
  });

  afterAll(() => world.close());

  const bearer = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const get = async (route: string, query: object = {}, status = 200): Promise<Body> =>
    (await request(world.quipu.url).get(route).query(query).set(bearer()).expect(status))
      .body as Body;
  const post = async (route: string, sent: object, status = 200): Promise<Body> =>
    (await request(world.quipu.url).post(route).set(bearer()).send(sent).expect(status))
      .body as Body;
  const ingest = (payload: Uint8Array, more: object = {}, status = 200) =>
    post(
      `${SPACE}/eo_ingest.php`,
      {
        satellite_id: 'sentinel-2a',
        compressed_payload_hex: Buffer.from(payload).toString('hex'),
        ...more,
      },
      status,
    );
  const bytesOf = async (route: unknown): Promise<Buffer> => {
    const { body } = await request(world.quipu.url)
      .get(String(route))
      .set(bearer())
      .buffer(true)
      .parse((response, done) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => done(null, Buffer.concat(parts)));
      })
      .expect(200);
    return body as Buffer;
  };

  it('are verified, stored and charged', async () => {
    const tiff = tiffOf('stripped');
    const payload = gzipSync(tiff);
    const region = 'POLYGON ((15 47.8, 15.1 47.8, 15.1 47.9, 15 47.9, 15 47.8))';
    const answer = await ingest(payload, { target_region: region });
    expect(answer).toMatchObject({
      success: true,
      ingest_id: expect.any(String),
      satellite_id: 'sentinel-2a',
      sensor_type: 'multispectral',
      resolution_meters: 10,
      target_region: region,
      region_check: 'overlaps',
      ground_station: 'Royal Observatory, Greenwich',
      storage_tier: 'hot',
      status: 'ingested_verified',
      problem: null,
      duplicate: false,
      content_bytes: tiff.length,
      acquired_at: '2026-11-20T10:30:00.000Z',
      acquired_from: 'file',
    });
    expect(await bytesOf(answer['image_url'])).toEqual(tiff);
    const preview = PNG.sync.read(await bytesOf(answer['preview_url']));
    expect([preview.width, preview.height]).toEqual([80, 60]);
    const charge = (await world.events()).find(({ type }) => type === 'HoldCaptured');
    expect(charge?.data).toMatchObject({
      purpose: 'observation_ingest',
      lines: [{ quantity: payload.length + tiff.length + 80 * 60 * 3 }],
      evidence: { outcome: 'verified', sha256: answer['content_sha256'] },
    });
    const again = await ingest(tiff, { satellite_id: 'other', ground_station: 'Svalbard' });
    expect(again).toEqual({ ...answer, duplicate: true });
  });

  it('are listed, shown and ingested from the command line', async () => {
    const { username } = world.credentials;
    const { observations } = (await get(`${SPACE}/observations`)) as { observations: Body[] };
    const { ingest_id: id, content_sha256 } = observations[0] ?? {};
    expect(await cli.result('observation', 'list', '--user', username)).toMatchObject({
      observations: [{ ingest_id: id, status: 'ingested_verified' }],
      total_records: 1,
    });
    expect(await cli.result('observation', 'show', String(id))).toMatchObject({
      observation: { ingest_id: id, content_sha256, resolution_meters: 10 },
    });
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-images-'));
    const file = path.join(folder, 'scene.tif');
    await writeFile(file, tiffOf('stripped'));
    const words = ['observation', 'ingest', file, '--user', username, '--satellite', 'other'];
    expect(await cli.result(...words)).toMatchObject({
      observation: { ingest_id: id, satellite_id: 'sentinel-2a' },
      duplicate: true,
      charged_micro_usd: expect.stringMatching(/^[1-9]\d*$/),
    });
    await rm(folder, { recursive: true });
    expect((await cli.run(...words)).stderr).toContain('scene.tif');
    const unknown = '5a0c2f1e-7d34-5b8e-9c61-0f2d4b6a8c1e';
    expect((await cli.run('observation', 'show', unknown)).stderr).toContain(
      'observation_not_found',
    );
  });

  it('are kept unverified with the reason', async () => {
    expect(
      await ingest(Buffer.from('no image'), { target_region: 'north of Crete' }),
    ).toMatchObject({
      status: 'stored_unverified',
      resolution_meters: null,
      region_check: 'not_checked',
      problem: { code: 'not_an_image' },
      preview_url: null,
    });
    const away = 'POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))';
    expect(await ingest(tiffOf('antimeridian'), { target_region: away })).toMatchObject({
      status: 'stored_unverified',
      region_check: 'disjoint',
      problem: { code: 'region_disjoint' },
    });
  });

  it('are uploaded as files, if they are large', async () => {
    const { body: file } = await request(world.quipu.url)
      .post('/v1/files')
      .set(bearer())
      .field('purpose', 'user_data')
      .attach('file', tiffOf('cloud-optimised'), 'scene.tif')
      .expect(200);
    const sent = { file_id: (file as { id: string }).id, satellite_id: 'sentinel-1c' };
    const order = { ...sent, sensor_type: 'SAR C-band', acquired_at: '2025-01-02T03:04:05Z' };
    expect(await post(`${SPACE}/eo_ingest.php`, order)).toMatchObject({
      status: 'ingested_verified',
      storage_tier: 'cold',
      acquired_from: 'request',
      media_type: expect.stringContaining('cloud-optimized'),
    });
    const unknown = `file-${'0'.repeat(32)}`;
    const missing = { ...sent, file_id: unknown };
    expect(await post(`${SPACE}/eo_ingest.php`, missing, 404)).toMatchObject({
      code: 'observation_file_not_found',
    });
  });

  it('are items of STAC 1.1', async () => {
    const { collections } = (await get(`${STAC}/collections`)) as { collections: Body[] };
    expect(collections.map(({ id }) => id)).toEqual(['multispectral', 'sar-c-band']);
    for (const one of collections) expect(collectionFaults(one)).toEqual([]);
    const { features } = (await get(`${STAC}/search`)) as { features: Body[] };
    expect(features).toHaveLength(4);
    for (const item of features) {
      expect(itemFaults(item)).toEqual([]);
      const [self] = item['links'] as { href: string }[];
      expect(await get(new URL(self?.href ?? '').pathname)).toEqual(item);
    }
    expect(itemFaults({ ...features[0], geometry: 'somewhere' })).not.toEqual([]);
  });

  it('are found by place, time and collection, in pages', async () => {
    const idsOf = async (found: Promise<Body>) =>
      ((await found)['features'] as Body[]).map(
        ({ properties }) => (properties as Body)['platform'],
      );
    const search = (sent: object) => idsOf(post(`${STAC}/search`, sent));
    expect(await search({ bbox: [14, 47, 16, 48], collections: ['multispectral'] })).toHaveLength(
      1,
    );
    expect(await search({ bbox: [179, -17, -179, -15] })).toHaveLength(1);
    expect(await search({ bbox: [-170, -17, -160, -15] })).toEqual([]);
    expect(await search({ datetime: '../2025-12-31T00:00:00Z' })).toEqual(['sentinel-1c']);
    expect(await search({ datetime: '2025-01-02T03:04:05Z' })).toEqual(['sentinel-1c']);
    const point = { type: 'Point', coordinates: [179.96, -16.01] };
    expect(await search({ intersects: point })).toHaveLength(1);
    const seen: unknown[] = [];
    let sent: Body | undefined = { limit: 1 };
    while (sent) {
      const page: Body = await post(`${STAC}/search`, sent);
      seen.push(...(page['features'] as Body[]).map(({ id }) => id));
      const links = page['links'] as { rel: string; body?: Body }[];
      sent = links.find(({ rel }) => rel === 'next')?.body;
    }
    expect(new Set(seen).size).toBe(4);
    const byGet = await get(`${STAC}/search`, { limit: 3, collections: 'multispectral' });
    expect(byGet['links']).toMatchObject([{ rel: 'root' }]);
    for (const [sentWrong, field] of [
      [{ bbox: [1, 2, 3] }, 'bbox'],
      [{ datetime: 'yesterday' }, 'datetime'],
      [{ intersects: { type: 'Polygon' } }, 'intersects'],
      [{ token: '!' }, 'token'],
    ] as const) {
      expect(await post(`${STAC}/search`, sentWrong, 400)).toMatchObject({
        message: expect.stringContaining(field),
      });
    }
  });

  it('are rejected by name', async () => {
    const code = async (answer: Promise<Body>) => (await answer)['code'];
    const tiff = tiffOf('stripped');
    const region = { target_region: 'POLYGON ((0 0, 1 1))' };
    expect(await code(ingest(tiff, region, 400))).toBe('observation_region_invalid');
    const odd = { compressed_payload_hex: 'abc' };
    expect(await code(ingest(tiff, odd, 400))).toBe('observation_payload_invalid');
    const bomb = gzipSync(Buffer.alloc(67_108_865));
    expect(await code(ingest(bomb, {}, 413))).toBe('observation_too_large');
    const poor = await cli.createUser('poor', 'renter');
    await request(world.quipu.url)
      .post(`${SPACE}/eo_ingest.php`)
      .set('authorization', `Bearer ${poor.api_key}`)
      .send({ satellite_id: 'x', compressed_payload_hex: '00' })
      .expect(402);
    await request(world.quipu.url)
      .get(`${STAC}/search`)
      .set('authorization', `Bearer ${poor.api_key}`)
      .expect(200)
      .expect(({ body }) => expect((body as Body)['features']).toEqual([]));
  });

  it('are deleted, which makes room', async () => {
    await ingest(tiffOf('rotated'));
    await ingest(tiffOf('point'));
    expect(await ingest(tiffOf('jpeg'), {}, 409)).toMatchObject({ code: 'observation_store_full' });
    const { observations } = (await get(`${SPACE}/observations`)) as { observations: Body[] };
    expect(observations).toHaveLength(STORED);
    const url = `${SPACE}/observations/${String(observations[0]?.['ingest_id'])}`;
    await request(world.quipu.url).delete(url).set(bearer()).expect(200);
    await get(url, {}, 404);
    expect(await ingest(tiffOf('jpeg'))).toMatchObject({ problem: { code: 'image_unsupported' } });
  });
});
