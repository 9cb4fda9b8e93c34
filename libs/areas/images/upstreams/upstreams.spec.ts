import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json, text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { encodePng } from '#platform/pictures/png-encoder.js';
import { textsOf } from '#platform/pictures/png-text.js';
import { CLAIM_KEYWORD } from '../image-claim.js';
import { type EmbeddedPainter } from '../embedded-painter.js';
import { Painters } from '../painters.js';
import { openImages } from '../images-world.fixture.js';
import { type ImageUpstream } from './image-upstreams.file.js';

const PICTURE = encodePng({ width: 2, height: 2, pixels: new Uint8Array(12).fill(9) });
const BASE64 = PICTURE.toString('base64');

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly type: string | undefined;
  readonly body: unknown;
}

type Answer = (asked: Asked) => { readonly status?: number; readonly body: unknown };

/** A server that answers by its script, and keeps what it was asked. */
class FakeUpstream {
  readonly asked: Asked[] = [];
  answer: Answer = () => ({ status: 500, body: {} });
  readonly #server: Server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { url: address = '', headers } = request;
      const asked = {
        path: address,
        authorization: headers.authorization,
        type: headers['content-type'],
        body,
      };
      this.asked.push(asked);
      const { status = 200, body: sent } = this.answer(asked);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof sent === 'string' ? sent : JSON.stringify(sent));
    });
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }
}

/** JSON, or the text of a form. */
const bodyOf = (request: IncomingMessage): Promise<unknown> =>
  request.headers['content-type'] === 'application/json' ? json(request) : text(request);

describe('pictures of an upstream', () => {
  let upstream: FakeUpstream;
  let url: string;
  let world: ReturnType<typeof openImages> | undefined;

  /** @param upstreamId the name that the server has for `flux-schnell` */
  const open = (changes: Partial<ImageUpstream> = {}, upstreamId = 'flux-schnell') => {
    const image_models = [{ id: 'flux-schnell', upstream_id: upstreamId }];
    const one: ImageUpstream = {
      name: 'theirs',
      server: 'openai',
      base_url: url,
      image_models,
      ...changes,
    };
    return (world = openImages({ upstreams: [one] }));
  };

  beforeEach(async () => {
    upstream = new FakeUpstream();
    url = await upstream.open();
  });

  afterEach(async () => {
    await world?.close();
    world = undefined;
    await upstream.close();
  });

  it('are asked of a server of OpenAI, charged by the picture, and claimed', async () => {
    process.env['IMAGE_SPEC_KEY'] = 'secret';
    upstream.answer = () => ({
      body: {
        created: 1,
        data: [{ b64_json: BASE64, revised_prompt: 'A red star.' }, { b64_json: BASE64 }],
      },
    });
    const { create, ledger } = open(
      { base_url: `${url}/v1/`, api_key_env: 'IMAGE_SPEC_KEY' },
      'dall-e-2',
    );
    const body = { n: 2, size: '512x512', quality: 'standard', style: 'vivid' };
    const { images, model, side } = await create({ ...body, response_format: 'b64_json' });
    expect(upstream.asked).toEqual([
      {
        path: '/v1/images/generations',
        authorization: 'Bearer secret',
        type: 'application/json',
        body: {
          style: 'vivid',
          model: 'dall-e-2',
          prompt: 'a red star',
          n: 2,
          size: '512x512',
          quality: 'standard',
          response_format: 'b64_json',
        },
      },
    ]);
    expect({ model, side }).toEqual({ model: 'flux-schnell', side: null });
    expect(images.map(({ revisedPrompt }) => revisedPrompt)).toEqual(['A red star.', null]);
    const [first] = images;
    const file = first && 'file' in first.stored ? first.stored.file : Buffer.alloc(0);
    expect(textsOf(file, CLAIM_KEYWORD)[0]).toContain('\nengine upstream:openai\npixels 2x2 ');
    expect(ledger.captured).toMatchObject({
      lines: [{ meter: 'upstream_images', quantity: 2 }],
      evidence: { engine: 'upstream:openai', steps: null },
    });
  });

  it('send a picture as a form, and no format to models that know one', async () => {
    upstream.answer = () => ({ body: { data: [{ b64_json: BASE64 }] } });
    await open({}, 'gpt-image-1').create({ size: '1024x1024' }, PICTURE);
    const [asked] = upstream.asked;
    expect(asked?.path).toBe('/images/edits');
    expect(asked?.type).toContain('multipart/form-data');
    const form = String(asked?.body);
    expect(form).toContain('name="model"\r\n\r\ngpt-image-1\r\n');
    expect(form).toContain('name="n"\r\n\r\n1\r\n');
    expect(form).toContain('name="image"; filename="image.png"\r\nContent-Type: image/png');
    expect(form).not.toContain('response_format');
  });

  it('are asked of AUTOMATIC1111 one by one, each with its seed', async () => {
    upstream.answer = () => ({ body: { images: [BASE64], parameters: {}, info: '{}' } });
    const { create } = open({ server: 'automatic1111' }, 'sdxl.safetensors');
    const { images } = await create({ n: 2, seed: 4, steps: 6, guidance_scale: 3 });
    expect(images.map(({ seed }) => seed)).toEqual([4, 5]);
    const fields = { prompt: 'a red star', width: 32, height: 32, steps: 6, cfg_scale: 3 };
    const one = { batch_size: 1, n_iter: 1 };
    const override_settings = { sd_model_checkpoint: 'sdxl.safetensors' };
    expect(upstream.asked).toMatchObject([
      { path: '/sdapi/v1/txt2img', body: { ...fields, ...one, seed: 4, override_settings } },
      { path: '/sdapi/v1/txt2img', body: { seed: 5 } },
    ]);
    await create({ strength: 0.3 }, PICTURE);
    expect(upstream.asked.at(-1)).toMatchObject({
      path: '/sdapi/v1/img2img',
      body: { init_images: [BASE64], denoising_strength: 0.3 },
    });
  });

  it.each<[string, Answer, object]>([
    [
      'rejects the request',
      () => ({ status: 400, body: { error: { message: 'no such size' } } }),
      { kind: 'refused', message: expect.stringContaining('no such size') },
    ],
    ['is busy', () => ({ status: 429, body: {} }), { kind: 'busy' }],
    ['rejects the key', () => ({ status: 401, body: {} }), { kind: 'failed' }],
    ['sends no JSON', () => ({ body: '<html>' }), { kind: 'failed' }],
    ['sends URLs', () => ({ body: { data: [{ url: 'http://x' }] } }), { kind: 'failed' }],
    ['sends too few', () => ({ body: { data: [] } }), { kind: 'failed' }],
    ['sends no PNG', () => ({ body: { data: [{ b64_json: 'R0lG' }] } }), { kind: 'failed' }],
  ])('are free where it %s', async (_, answer, error) => {
    upstream.answer = answer;
    const { create, ledger } = open();
    await expect(create()).rejects.toMatchObject(error);
    expect(ledger.ends).toEqual(['release upstream_failed']);
  });

  it('have no seed in the interface of OpenAI', async () => {
    await expect(open().create({ seed: 1 })).rejects.toMatchObject({
      code: 'image_field_unsupported',
    });
    expect(upstream.asked).toEqual([]);
  });

  it('are of the servers that a file lists, found at the start', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-image-upstreams-'));
    const upstreamsFile = path.join(folder, 'upstreams.json');
    const painters = new Painters({} as EmbeddedPainter, { upstreamsFile });
    const list = (image_models: readonly object[]) => {
      const server = { name: 'theirs', server: 'openai', base_url: `${url}/v1`, image_models };
      return writeFile(upstreamsFile, JSON.stringify({ servers: [server] }));
    };
    try {
      await list([{ id: 'dall-e-3' }]);
      await painters.onModuleInit();
      expect(painters.listedModels.map(({ id }) => id)).toEqual(['quipu-scenes', 'dall-e-3']);
      await list([{ id: 'dall-e-3' }, { id: 'dall-e-3' }]);
      await expect(painters.onModuleInit()).rejects.toThrow(
        `QUIPU_IMAGE_UPSTREAMS: ${upstreamsFile}: image_models: dall-e-3 is listed twice`,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
