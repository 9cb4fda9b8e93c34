import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { decodePng } from '#platform/pictures/png-decoder.js';
import { CommandLine } from './command-line.fixture.js';
import { LiveClient, rejectionOf, withLive } from './live-client.fixture.js';
import { eventually, scriptedCatalog, startWorld, type World } from './quipu.harness.js';

interface Session {
  readonly status: string;
  readonly session_token: string;
  readonly assigned_node: Readonly<Record<string, unknown>>;
  readonly ice_servers: readonly { readonly urls: string }[];
  readonly ws_signaling_url: string;
}

type Body = Readonly<Record<string, unknown>>;

describe('a stream session', () => {
  let world: World;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([], {
      catalogOf: (baseUrl) => withLive(scriptedCatalog(baseUrl)),
    });
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '10', '--reason', 'spec');
  });

  afterAll(() => world.close());

  const post = (route: string, sent: object, status = 200) =>
    request(world.quipu.url)
      .post(`/api/v1/stream/${route}`)
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .send(sent)
      .expect(status);
  const open = async (sent: object = {}): Promise<Session> =>
    (await post('webrtc', { resolution: '64x64', prompt: 'a red star', ...sent })).body as Session;
  const draw = async (token: string, sent: object = {}, status = 200): Promise<Body> =>
    (await post('diffuse', { session_token: token, ...sent }, status)).body as Body;
  const ended = async (count: number) => {
    await eventually(async () => {
      const events = await world.events();
      return events.filter(({ type }) => type === 'LiveSessionEnded').length >= count;
    });
    return (await world.events()).filter(({ type }) => type === 'LiveSessionEnded');
  };
  const charges = async () =>
    (await world.events())
      .filter(({ type }) => type === 'HoldCaptured')
      .map(({ data }) => data as { readonly purpose: string; readonly lines: readonly Body[] })
      .filter(({ purpose }) => purpose === 'live_session');

  it('names a registered rig, a STUN server and a signalling address', async () => {
    const session = await open();
    const signalling = `${world.quipu.url.replace('http', 'ws')}/api/v1/stream/signal`;
    expect(session).toEqual({
      status: 'success',
      session_token: expect.stringMatching(/^live_[\w-]{43}$/),
      assigned_node: {
        rig_id: expect.any(Number),
        rig_name: 'built-in',
        is_stream_certified: false,
        badge_level: 'none',
        est_ping_ms: null,
      },
      ice_servers: [{ urls: expect.stringMatching(/^stun:127\.0\.0\.1:\d+$/) }],
      ws_signaling_url: `${signalling}?session=${session.session_token}`,
    });
    const client = await LiveClient.connect(session.ws_signaling_url);
    client.tell({ type: 'bye' });
    await eventually(() => client.closed !== null);
    await client.close();
  });

  it('streams frames over a data channel, and is charged at its end', async () => {
    const before = (await charges()).length;
    const { session_token: token, ws_signaling_url: url } = await open({ target_fps: 8 });
    const client = await LiveClient.connect(url);
    await client.offer();
    await eventually(() => client.frames.length >= 3);
    const [frame] = client.frames;
    expect(frame?.header).toMatchObject({
      ...{ width: 64, height: 64, model: 'quipu-scenes', resampled_from: '32x32' },
    });
    expect(decodePng(frame?.file ?? Buffer.alloc(0))).toMatchObject({ width: 64, height: 64 });
    const { frame_id, stamp_ms } = client.frames.at(-1)?.header ?? {};
    client.send({ type: 'echo', frame_id, stamp_ms });
    await eventually(async () => {
      const { metrics } = await draw(token, { prompt: 'a blue ring' });
      return (metrics as Body)['glass_to_glass_latency_ms'] !== null;
    });
    expect(await draw(token)).toMatchObject({
      status: 'success',
      model: 'quipu-scenes',
      tensor_engine: expect.stringMatching(/^embedded:quipu-scenes@[0-9a-f]{64}$/),
      fps_rendered: expect.any(Number),
      metrics: { cuda_vram_mb: 0 },
      delivered_by: 'data_channel',
    });
    client.send({ type: 'bye' });
    await eventually(() => client.closed !== null);
    await eventually(async () => (await charges()).length > before);
    const [end] = (await ended(1)).slice(-1);
    const { frames } = end?.data as { readonly frames: number };
    expect((await charges()).at(-1)?.lines).toMatchObject([
      { meter: 'live_minutes', quantity: 1 },
      { meter: 'live_frames', quantity: frames },
    ]);
    await draw(token, {}, 410);
    expect((await rejectionOf(url)).status).toBe(410);
    await client.close();
  });

  it('is not opened to an unknown token, another origin and a second client', async () => {
    const { session_token: token, ws_signaling_url: url } = await open();
    const unknown = url.replace(token, `live_${'0'.repeat(43)}`);
    expect(await rejectionOf(unknown)).toMatchObject({
      status: 404,
      body: { code: 'live_session_not_found' },
    });
    expect(await rejectionOf(url, 'https://elsewhere.example')).toMatchObject({
      status: 403,
      body: { code: 'origin_not_allowed' },
    });
    const client = await LiveClient.connect(url, world.quipu.url);
    await client.next('ready');
    expect((await rejectionOf(url)).status).toBe(409);
    client.socket.send('x'.repeat(70_000));
    await eventually(() => client.closed !== null);
    expect(client.closed?.code).toBe(1_009);
    await request(world.quipu.url)
      .get('/api/v1/stream/signal')
      .query({ session: token })
      .expect(426);
    const again = await LiveClient.connect(url);
    again.tell({ type: 'bye' });
    await eventually(() => again.closed !== null);
  });

  it('leaves the gateway able to answer beside 1,000 idle sockets', async () => {
    const { session_token: token, ws_signaling_url: url } = await open();
    const { port } = new URL(world.quipu.url);
    const idle = Array.from({ length: 1_000 }, () => connect(Number(port), '127.0.0.1'));
    try {
      await Promise.all(idle.map((socket) => once(socket, 'connect')));
      const half = `GET ${new URL(url).pathname}?session=${token} HTTP/1.1\r\nhost: a\r\n`;
      for (const socket of idle) socket.write(half);
      expect(await draw(token, { return_frame: true })).toMatchObject({ delivered_by: 'response' });
      const client = await LiveClient.connect(url);
      await client.next('ready');
      client.tell({ type: 'bye' });
      await eventually(() => client.closed !== null);
    } finally {
      for (const socket of idle) socket.destroy();
    }
  });

  it('shows its last frame to vision', async () => {
    const { session_token: token } = await open();
    await draw(token);
    const look = (id: string) =>
      request(world.quipu.url)
        .post('/api/v1/stream/vision')
        .set('authorization', `Bearer ${world.credentials.api_key}`)
        .send({ session_id: id });
    const { body } = await look(token).expect(200);
    expect(body).toMatchObject({ frame_id: '1', detections_count: expect.any(Number) });
    await look(`live_${'0'.repeat(43)}`).expect(404);
  });

  it('rejects fields by name', async () => {
    const named = async (route: string, sent: object) =>
      ((await post(route, sent, 400)).body as Body)['message'];
    expect(await named('webrtc', { resolution: '16x9000' })).toMatch(/^resolution: /);
    expect(await named('webrtc', { target_fps: 31 })).toMatch(/^target_fps: /);
    expect(await named('diffuse', { session_token: 'x' })).toMatch(/^session_token: /);
    const { session_token: token } = await open();
    const bomb = { session_token: token, image_png_base64: 'AAAA' };
    expect(await named('diffuse', bomb)).toMatch(/^image_png_base64: /);
    const model = { session_token: token, model: 'acme/other' };
    expect((await post('diffuse', model, 503)).body).toMatchObject({
      code: 'live_model_unavailable',
    });
  });
});
