import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json, text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { decodePng } from '#platform/pictures/png-decoder.js';
import { encodePng } from '#platform/pictures/png-encoder.js';
import { textsOf } from '#platform/pictures/png-text.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { CLAIM_KEYWORD } from '../image-claim.js';
import { type EmbeddedPainter } from '../embedded-painter.js';
import { Painters } from '../painters.js';
import { openImages } from '../images-world.fixture.js';
import { type ImageUpstream } from './image-upstreams.file.js';

const PICTURE = encodePng({ width: 2, height: 2, pixels: new Uint8Array(12).fill(9) });
const BASE64 = PICTURE.toString('base64');

interface Asked {
  readonly path: string;
  readonly method: string | undefined;
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
      const { url: address = '', method, headers } = request;
      const asked = {
        path: address,
        method,
        authorization: headers.authorization,
        type: headers['content-type'],
        body,
      };
      this.asked.push(asked);
      const { status = 200, body: sent } = this.answer(asked);
      response.writeHead(status, { 'content-type': 'application/json' });
      const isRaw = typeof sent === 'string' || Buffer.isBuffer(sent);
      response.end(isRaw ? sent : JSON.stringify(sent));
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

interface ComfyScript {
  /** How often the history is asked for before it has the prompt. */
  readonly polls?: number;
  readonly fails?: boolean;
  readonly isEmpty?: boolean;
}

/** Answers as ComfyUI does, and rejects graphs whose inputs name no node. */
const comfyUi = ({ polls = 0, fails = false, isEmpty = false }: ComfyScript) => {
  const graphs: Record<string, { class_type: string; inputs: Record<string, unknown> }>[] = [];
  const dropped: string[] = [];
  let asked = 0;
  const isLinked = (graph: (typeof graphs)[number]): boolean =>
    Object.values(graph).every(({ inputs }) =>
      Object.values(inputs).every((input) => !Array.isArray(input) || String(input[0]) in graph),
    );
  const answer: Answer = ({ path: address, method, body }) => {
    const url = new URL(address, 'http://comfy');
    const id = `prompt-${graphs.length}`;
    switch (`${method} ${url.pathname}`) {
      case 'POST /upload/image':
        return { body: { name: 'quipu.png', subfolder: 'inputs', type: 'input' } };
      case 'POST /prompt': {
        const { prompt } = body as { readonly prompt: (typeof graphs)[number] };
        const hasOutput = Object.values(prompt).some((node) => node.class_type === 'SaveImage');
        if (!isLinked(prompt) || !hasOutput) {
          const error = { type: 'invalid_prompt', message: 'Cannot execute', details: '' };
          return { status: 400, body: { error, node_errors: {} } };
        }
        graphs.push(prompt);
        asked = 0;
        return { body: { prompt_id: `prompt-${graphs.length}`, number: 1, node_errors: {} } };
      }
      case `GET /history/${id}`: {
        asked += 1;
        if (asked <= polls) return { body: {} };
        const picture = { filename: 'quipu_00001_.png', subfolder: '', type: 'output' };
        const outputs = fails || isEmpty ? {} : { saved: { images: [picture] } };
        const status = { status_str: fails ? 'error' : 'success', completed: !fails, messages: [] };
        return { body: { [id]: { prompt: [], outputs, status, meta: {} } } };
      }
      case 'GET /view': {
        const isRight = url.search === '?filename=quipu_00001_.png&subfolder=&type=output';
        return isRight ? { body: PICTURE } : { status: 404, body: '' };
      }
      case 'POST /queue':
        dropped.push(...(body as { readonly delete: readonly string[] }).delete);
        return { body: '' };
      default:
        return { status: 404, body: '404: Not Found' };
    }
  };
  return { answer, graphs, dropped };
};

interface TritonScript {
  readonly inputs: readonly {
    readonly name: string;
    readonly datatype: string;
    readonly shape: readonly number[];
  }[];
  readonly output: object;
}

/** Answers as a server of the Open Inference Protocol does, and rejects inputs it does not have. */
const tritonOf = ({ inputs, output }: TritonScript) => {
  const sent: unknown[] = [];
  const named = { name: 'generated_image', ...output };
  const answer: Answer = ({ path: address, method, body }) => {
    const [model = '', infer] = address.split('/').slice(3);
    if (method === 'GET' && infer === undefined) {
      const outputs = [{ ...named, data: undefined }];
      return { body: { name: model, versions: ['1'], platform: 'python', inputs, outputs } };
    }
    if (method !== 'POST' || infer !== 'infer') return { status: 404, body: { error: 'no route' } };
    const asked = body as { readonly inputs: readonly (typeof inputs)[number][] };
    const isKnown = asked.inputs.every(({ name, datatype }) =>
      inputs.some((input) => input.name === name && input.datatype === datatype),
    );
    if (!isKnown) return { status: 400, body: { error: 'unexpected inference input' } };
    sent.push(...asked.inputs);
    return { body: { model_name: model, model_version: '1', outputs: [named] } };
  };
  return { answer, sent };
};

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
        method: 'POST',
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

  it('are asked of ComfyUI as a graph, whose end is awaited', async () => {
    const comfy = comfyUi({ polls: 2 });
    upstream.answer = comfy.answer;
    const { create } = open({ server: 'comfyui' }, 'sdxl.safetensors');
    const { images } = await create({ n: 2, seed: 4, steps: 6, guidance_scale: 3 });
    expect(images.map(({ seed, engine }) => [seed, engine])).toEqual([
      [4, 'upstream:comfyui'],
      [5, 'upstream:comfyui'],
    ]);
    const [first, second] = comfy.graphs;
    expect(first).toMatchObject({
      checkpoint: { inputs: { ckpt_name: 'sdxl.safetensors' } },
      positive: { inputs: { text: 'a red star' } },
      latent: { class_type: 'EmptyLatentImage', inputs: { width: 32, height: 32 } },
      sampler: { inputs: { seed: 4, steps: 6, cfg: 3, denoise: 1 } },
    });
    expect(second).toMatchObject({ sampler: { inputs: { seed: 5 } } });
    await create({ strength: 0.3 }, PICTURE);
    expect(comfy.graphs.at(-1)).toMatchObject({
      start: { class_type: 'LoadImage', inputs: { image: 'inputs/quipu.png' } },
      latent: { class_type: 'VAEEncode' },
      sampler: { inputs: { denoise: 0.3 } },
    });
  });

  it.each([
    ['fails', { fails: true }, 'the graph failed'],
    ['ends without a picture', { isEmpty: true }, 'made no picture'],
  ])('are free where the graph of ComfyUI %s', async (_, script, message) => {
    upstream.answer = comfyUi(script).answer;
    const { create, ledger } = open({ server: 'comfyui' });
    await expect(create()).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringContaining(message),
    });
    expect(ledger.ends).toEqual(['release upstream_failed']);
  });

  it('leave the queue of ComfyUI with their caller', async () => {
    const caller = new AbortController();
    const comfy = comfyUi({ polls: 1_000 });
    upstream.answer = (asked) => {
      if (asked.path.startsWith('/history/')) caller.abort(new RequestCutError('client_gone'));
      return comfy.answer(asked);
    };
    const { create, ledger } = open({ server: 'comfyui' });
    await expect(create({}, null, caller.signal)).rejects.toMatchObject({ reason: 'client_gone' });
    expect(comfy.dropped).toEqual(['prompt-1']);
    expect(ledger.ends).toEqual(['release client_gone']);
  });

  it('are asked of Triton by the names of its inputs', async () => {
    const triton = tritonOf({
      inputs: [
        { name: 'prompt', datatype: 'BYTES', shape: [-1, 1] },
        { name: 'negative_prompt', datatype: 'BYTES', shape: [-1, 1] },
        { name: 'SEED', datatype: 'INT64', shape: [1] },
        { name: 'mystery', datatype: 'FP32', shape: [1] },
      ],
      output: { datatype: 'UINT8', shape: [1, 1, 2, 3], data: [1, 2, 3, 4, 5, 6] },
    });
    upstream.answer = triton.answer;
    const { create } = open({ server: 'triton' }, 'stable_diffusion');
    const { images } = await create({ seed: 9, response_format: 'b64_json' });
    expect(triton.sent).toEqual([
      { name: 'prompt', datatype: 'BYTES', shape: [1, 1], data: ['a red star'] },
      { name: 'negative_prompt', datatype: 'BYTES', shape: [1, 1], data: [''] },
      { name: 'SEED', datatype: 'INT64', shape: [1], data: [9] },
    ]);
    const [{ stored } = { stored: null }] = images;
    const file = stored && 'file' in stored ? stored.file : Buffer.alloc(0);
    // As many pixels as the model made, not as many as were asked for.
    expect(decodePng(file)).toEqual({
      width: 2,
      height: 1,
      pixels: Uint8Array.from([1, 2, 3, 4, 5, 6]),
    });
    await expect(create({}, PICTURE)).rejects.toMatchObject({ code: 'image_field_unsupported' });
  });

  it.each([
    ['floats', { datatype: 'FP32', shape: [1, 1, 3], data: [0, 0.5, 1] }, null],
    ['PNG files in base64', { datatype: 'BYTES', shape: [1], data: [BASE64] }, null],
    ['planes', { datatype: 'UINT8', shape: [3, 1, 2], data: [1, 2, 3, 4, 5, 6] }, 'not rows'],
    ['too few', { datatype: 'UINT8', shape: [2, 2, 3], data: [1] }, 'not rows'],
    ['other files', { datatype: 'BYTES', shape: [1], data: ['R0lG'] }, 'no PNG file'],
  ])('are read from a Triton that sends %s, or named', async (_, output, message) => {
    const inputs = [{ name: 'PROMPT', datatype: 'BYTES', shape: [1] }];
    upstream.answer = tritonOf({ inputs, output }).answer;
    const made = open({ server: 'triton' }).create();
    if (message === null) expect((await made).images).toHaveLength(1);
    else await expect(made).rejects.toThrow(message);
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
