import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { encodePng } from '#platform/pictures/png-encoder.js';
import { chunkOf, SIGNATURE } from '#platform/pictures/png.chunks.js';
import { CommandLine } from './command-line.fixture.js';
import { scriptedCatalog, startWorld, type World } from './quipu.harness.js';

const catalogOf = (baseUrl: string): string =>
  `${scriptedCatalog(baseUrl).replace('models:', '  - { name: built-in, kind: embedded }\nmodels:')}
meters:
  - { meter: vision_frames, usd: 0.10, per: 1000 }
`;

/** 96 by 96 pixels with a red square whose left edge is here. */
const frameOf = (left: number): string => {
  const pixels = new Uint8Array(96 * 96 * 3).fill(90);
  for (let y = 30; y < 60; y += 1) {
    for (let x = left; x < left + 30; x += 1) pixels.set([220, 40, 40], (y * 96 + x) * 3);
  }
  return encodePng({ width: 96, height: 96, pixels }).toString('base64');
};

/** A header that promises many pixels, with few bytes behind it. */
const bombOf = (width: number, height: number, more: readonly Buffer[] = []): string => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const data = chunkOf('IDAT', deflateSync(Buffer.alloc(64)));
  const end = chunkOf('IEND', new Uint8Array());
  return Buffer.concat([SIGNATURE, chunkOf('IHDR', header), ...more, data, end]).toString('base64');
};

describe('frames', () => {
  let world: World;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([], { catalogOf });
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '10', '--reason', 'spec');
  });

  afterAll(() => world.close());

  const look = (body: object) =>
    request(world.quipu.url)
      .post('/api/v1/stream/vision')
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .send(body);

  it('are looked at by the embedded detector, for the price of a frame', async () => {
    const image_base64 = `data:image/png;base64,${frameOf(20)}`;
    const { body, headers } = await look({ image_base64, frame_id: 'first' }).expect(200);
    expect(body).toMatchObject({
      status: 'success',
      frame_id: 'first',
      inference_engine: expect.stringMatching(/^embedded:quipu-shapes@[0-9a-f]{64}$/),
      inference_time_ms: expect.any(Number),
      fps_throughput: expect.any(Number),
      detections_count: 1,
      objects: [{ label: 'square', category: 'shape', colour: 'red', track_id: null }],
      anomaly_alert: false,
      stream: null,
    });
    expect(headers['x-quipu-cost-usd']).toBe('0.000100');
  });

  it('of a stream are followed', async () => {
    const tracks = [];
    for (const left of [10, 16, 22]) {
      const { body } = await look({ image_base64: frameOf(left), stream_id: 'door' }).expect(200);
      tracks.push((body as { objects: { track_id: number }[] }).objects[0]?.track_id);
    }
    expect(tracks).toEqual([1, 1, 1]);
  });

  it.each([
    ['a side of 65,535 pixels', bombOf(65_535, 1)],
    ['a hundred million pixels', bombOf(10_000, 10_000)],
    ['frames', bombOf(8, 8, [chunkOf('acTL', Buffer.alloc(8))])],
    ['too few pixels', bombOf(2_000, 2_000)],
  ])('with %s are rejected by name, and free', async (_, image_base64) => {
    const { body, headers } = await look({ image_base64 }).expect(400);
    expect(JSON.stringify(body)).toContain('image_base64: ');
    expect(headers['x-quipu-cost-usd']).toBeUndefined();
  });

  it('are read without their colour profile', async () => {
    const file = Buffer.from(frameOf(20), 'base64');
    const zeros = deflateSync(Buffer.alloc(64 * 1_048_576));
    const profile = chunkOf('iCCP', Buffer.concat([Buffer.from('bomb\0\0'), zeros]));
    const at = SIGNATURE.length + 25;
    const bomb = Buffer.concat([file.subarray(0, at), profile, file.subarray(at)]);
    const { body } = await look({ image_base64: bomb.toString('base64') }).expect(200);
    expect(body).toMatchObject({ detections_count: 1 });
  });

  it.each([
    [{ session_id: 'live-1' }, 404, 'vision_session_not_found'],
    [{}, 400, 'vision_source_invalid'],
    [{ image_base64: 'no base64!' }, 400, 'image_base64: expected a PNG file in base64'],
    [{ image_base64: 'AAAA', mode: 'motion' }, 400, 'vision_stream_needed'],
    [{ image_base64: 'AAAA', confidence_min: 2 }, 400, 'confidence_min'],
  ] as const)('reject %j with %d', async (sent, status, said) => {
    const { body } = await look(sent).expect(status);
    expect(JSON.stringify(body)).toContain(said);
  });

  it('have their model in the list', async () => {
    const { body } = await request(world.quipu.url)
      .get('/v1/models/quipu-shapes')
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .expect(200);
    expect(body).toMatchObject({ owned_by: 'quipu', endpoints: ['/api/v1/stream/vision'] });
  });
});
