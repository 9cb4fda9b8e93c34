import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import request from 'supertest';
import { decodePng } from '#platform/pictures/png-decoder.js';
import { encodePng } from '#platform/pictures/png-encoder.js';
import { textsOf, withText } from '#platform/pictures/png-text.js';
import { CommandLine } from './command-line.fixture.js';
import { scriptedCatalog, startWorld, type World } from './quipu.harness.js';

const GENERATIONS = '/api/v1/images/generations';

const catalogOf = (baseUrl: string): string =>
  `${scriptedCatalog(baseUrl).replace('models:', '  - { name: built-in, kind: embedded }\nmodels:')}
meters:
  - { meter: image_pixel_steps, usd: 0.02, per: 1000000 }
  - { meter: image_pixels, usd: 0.001, per: 1000000 }
`;

interface Result {
  readonly data: readonly {
    readonly url?: string;
    readonly b64_json?: string;
    readonly revised_prompt: string;
    readonly seed: number;
  }[];
}

describe('pictures', () => {
  let world: World;
  let client: OpenAI;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([], { catalogOf });
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '10', '--reason', 'spec');
    const { api_key: apiKey } = world.credentials;
    client = new OpenAI({ baseURL: `${world.quipu.url}/v1`, apiKey, maxRetries: 0 });
  });

  afterAll(() => world.close());

  const post = (body: object, key = world.credentials.api_key) =>
    request(world.quipu.url).post(GENERATIONS).set('authorization', `Bearer ${key}`).send(body);

  const get = (url: string, key: string) =>
    request(world.quipu.url)
      .get(new URL(url).pathname)
      .set('authorization', `Bearer ${key}`)
      .buffer(true)
      .parse((response, done) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => done(null, Buffer.concat(parts)));
      });

  it('are drawn by the embedded model under its name, and served to their account', async () => {
    const { body, headers } = await post({ prompt: 'a red star on white, photorealistic' }).expect(
      200,
    );
    expect(body).toMatchObject({
      created: expect.any(Number),
      data: [{ revised_prompt: expect.stringContaining('Not understood: photorealistic.') }],
      model: 'quipu-scenes',
      engine: expect.stringMatching(/^embedded:quipu-scenes@[0-9a-f]{64}$/),
      size: '1024x1024',
      steps: 16,
      resampling: { from: '32x32', to: '1024x1024', method: 'bicubic' },
    });
    // 16 steps of 1,024 pixels, and a megapixel.
    expect(headers['x-quipu-cost-usd']).toBe('0.001377');
    const url = (body as Result).data[0]?.url ?? '';
    const served = await get(url, world.credentials.api_key).expect(200);
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private',
      expires: expect.stringContaining('GMT'),
    });
    const file = served.body as Buffer;
    expect(decodePng(file)).toMatchObject({ width: 1_024, height: 1_024 });
    const other = await quipu.createUser('other', 'renter');
    await get(url, other.api_key).expect(404);
    await request(world.quipu.url).get(new URL(url).pathname).expect(401);
  });

  it('have the same pixels for the same seed', async () => {
    const body = { prompt: 'two blue rings', seed: 7, size: '32x32', response_format: 'b64_json' };
    const answers = [await post(body), await post(body), await post({ ...body, seed: 8 })];
    const pixels = answers.map(({ body: sent }) => {
      const base64 = (sent as Result).data[0]?.b64_json ?? '';
      return Buffer.from(decodePng(Buffer.from(base64, 'base64')).pixels).toString('base64');
    });
    expect(pixels[0]).toBe(pixels[1]);
    expect(pixels[2]).not.toBe(pixels[0]);
  });

  it('are made for the client of OpenAI, also from a picture', async () => {
    const made = await client.images.generate({
      prompt: 'a green heart',
      model: 'quipu-scenes',
      n: 2,
      quality: 'low',
      size: '256x256',
    });
    expect(made.data?.map(({ url }) => url)).toEqual([
      expect.stringContaining('/api/v1/images/file-'),
      expect.stringContaining('/api/v1/images/file-'),
    ]);
    const start = encodePng({ width: 40, height: 40, pixels: new Uint8Array(4_800).fill(255) });
    const edited = await client.images.edit({
      image: await toFile(start, 'start.png', { type: 'image/png' }),
      prompt: 'a green heart on white',
    });
    const served = await get(edited.data?.[0]?.url ?? '', world.credentials.api_key).expect(200);
    expect(decodePng(served.body as Buffer)).toMatchObject({ width: 1_024 });
  });

  it('are rejected by name', async () => {
    await expect(
      client.images.generate({ prompt: 'x', model: 'sdxl-turbo' }),
    ).rejects.toMatchObject({
      status: 503,
      code: 'image_model_unavailable',
      message: expect.stringContaining('quipu-scenes'),
    });
    await expect(client.images.generate({ prompt: '', size: '1x1' })).rejects.toMatchObject({
      status: 400,
      param: 'prompt',
    });
    const image = await toFile(Buffer.from('GIF89a'), 'a.gif', { type: 'image/gif' });
    await expect(client.images.edit({ image, prompt: 'x' })).rejects.toMatchObject({
      status: 400,
      code: 'image_unreadable',
    });
    await expect(
      client.images.edit({ image, mask: image, prompt: 'x' } as never),
    ).rejects.toMatchObject({ status: 400, param: 'mask' });
  });

  it('carry a claim that quipu audit proves', async () => {
    const prompt = { prompt: 'a star', size: '32x32', response_format: 'b64_json' };
    const { body, headers } = await post(prompt);
    const file = Buffer.from((body as Result).data[0]?.b64_json ?? '', 'base64');
    const name = path.join(world.environment['QUIPU_HOME'] ?? '', 'picture.png');
    await writeFile(name, file);
    const proved = await quipu.result('audit', 'image', name);
    expect(proved).toMatchObject({
      proved: true,
      request_id: headers['x-request-id'],
      image: 1,
      leaves: expect.arrayContaining([expect.any(Number)]),
    });
    const { text: key } = await request(world.quipu.url).get('/audit/key').expect(200);
    expect(await quipu.result('audit', 'image', name, '--key', key.trim())).toMatchObject({
      proved: true,
      leaves: null,
    });
    const [claim = ''] = textsOf(file, 'quipu-claim');
    const forged = encodePng({ width: 32, height: 32, pixels: new Uint8Array(3_072) });
    await writeFile(name, withText(forged, 'quipu-claim', claim));
    const { exitCode, stderr, stdout } = await quipu.run('audit', 'image', name);
    expect({ exitCode, output: stdout + stderr }).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('the claim is of other pixels'),
    });
    expect(await readFile(name)).not.toEqual(file);
  });
});
