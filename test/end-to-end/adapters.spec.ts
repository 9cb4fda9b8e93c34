import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { writeSafetensors } from '#platform/safetensors/safetensors.js';
import { CommandLine } from './command-line.fixture.js';
import { scriptedCatalog, startWorld, type World } from './quipu.harness.js';

const VAULT = '/api/v1/adapters/vault';
const INFER = '/api/v1/adapters/infer';
const MODELS = path.resolve(import.meta.dirname, '../../models');

/** A token costs 1 micro-dollar in, and 2 out. */
const catalogOf = (baseUrl: string): string =>
  scriptedCatalog(baseUrl).replace(
    'models:',
    `  - { name: built-in, kind: embedded }
models:
  - { id: quipu/nano, owned_by: quipu, rigs: [built-in], file: ${MODELS}/nano.gguf, context: 1024,
      max_output: 64, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }`,
  );

const PROMPT = 'What is a hold?';
const config = {
  peft_type: 'LORA',
  r: 2,
  lora_alpha: 4,
  target_modules: ['v_proj'],
  base_model_name_or_path: 'nano',
};
const STEM = 'base_model.model.model.layers.0.self_attn.v_proj';

/** An adapter that changes the values of the first layer a little; or that breaks one number. */
const weightsOf = (last = 0.05): Buffer => {
  const values = Float32Array.from({ length: 256 }, (_, index) => Math.sin(index) / 8);
  values[255] = last;
  return writeSafetensors(
    new Map([
      [`${STEM}.lora_A.weight`, { shape: [2, 128], values }],
      [`${STEM}.lora_B.weight`, { shape: [128, 2], values }],
    ]),
  );
};

interface Entry {
  readonly slug: string;
  readonly category: string;
  readonly held_out: { readonly gain: number } | null;
}
interface Vault {
  readonly adapters: readonly Entry[];
  readonly total_records: number;
}
interface Answer {
  readonly output: string;
  readonly swap_ms: number | null;
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

describe('adapters', () => {
  let world: World;
  let folder: string;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    world = await startWorld([], { catalogOf });
    const shipped = path.join(world.home, 'models', 'adapters');
    await cp(path.join(MODELS, 'adapters'), shipped, { recursive: true });
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-adapter-'));
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '100', '--reason', 'spec');
  });

  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const as = <Test extends request.Test>(test: Test): Test =>
    test.set('authorization', `Bearer ${world.credentials.api_key}`);
  const infer = (body: object) => as(request(world.quipu.url).post(INFER)).send(body);
  const vault = async (query: object = {}): Promise<Vault> => {
    const { body } = await as(request(world.quipu.url).get(VAULT)).query(query).expect(200);
    return body as Vault;
  };
  const upload = (fields: object, weights = weightsOf(), settings: object = config) => {
    const test = as(request(world.quipu.url).post(VAULT));
    const form = { slug: 'house-style', category: 'register', base_model: 'quipu/nano', ...fields };
    for (const [name, value] of Object.entries(form)) void test.field(name, value);
    return test
      .attach('adapter_config.json', Buffer.from(JSON.stringify(settings)), 'adapter_config.json')
      .attach('adapter_model.safetensors', weights, 'adapter_model.safetensors');
  };

  it('are more than a hundred, each better than its base on held-out dialogues', async () => {
    const { total_records: total, adapters } = await vault({ limit: 100 });
    expect(total).toBeGreaterThan(100);
    expect(adapters).toHaveLength(100);
    for (const { held_out } of adapters) expect(held_out?.gain).toBeGreaterThan(0.1);
    const second = await vault({ limit: 100, page: 2 });
    expect(second.adapters).toHaveLength(total - 100);
  });

  it('are filtered by category and by base model', async () => {
    const { adapters } = await vault({ category: 'register', base_model: 'quipu/nano' });
    expect(adapters.map(({ category }) => category)).toEqual(adapters.map(() => 'register'));
    expect(adapters.length).toBeGreaterThan(10);
    expect(await vault({ base_model: 'acme/other' })).toMatchObject({ total_records: 0 });
    expect(await vault({ category: 'nothing' })).toMatchObject({ adapters: [], total_pages: 0 });
  });

  it('change what the model says, at the price of a chat with it', async () => {
    const asked = { prompt: PROMPT, max_tokens: 12, temperature: 0 };
    const { body, headers } = await infer({ ...asked, adapter_id: 'bullets' }).expect(200);
    const { output, usage, swap_ms: swapMs } = body as Answer;
    expect(output).toMatch(/^- /);
    expect(swapMs).toBeGreaterThan(0);
    expect(body).toMatchObject({
      status: 'success',
      base_model: 'quipu/nano',
      finish_reason: 'length',
      adapter: { slug: 'bullets', category: 'format', rank: 4, source: 'shipped' },
      engine: expect.stringMatching(/^embedded:quipu\/nano@[\da-f]{64}$/),
    });
    const price = (usage.prompt_tokens + 2 * usage.completion_tokens) / 1e6;
    expect(Number(headers['x-quipu-cost-usd'])).toBeCloseTo(price, 6);
    const again = await infer({ ...asked, adapter_id: 'bullets' }).expect(200);
    expect(again.body).toMatchObject({ output, swap_ms: null });
  });

  it('answer chats, too, and only for the request that names them', async () => {
    const chat = async (extra: object) => {
      const { choices } = await world.openai.chat.completions.create({
        model: 'quipu/nano',
        messages: [{ role: 'user', content: PROMPT }],
        max_completion_tokens: 8,
        temperature: 0,
        ...extra,
      });
      return choices[0]?.message.content ?? '';
    };
    const plain = await chat({});
    expect(await chat({ adapter: 'bullets' })).toMatch(/^- /);
    expect(await chat({})).toBe(plain);
  });

  it.each([
    ['an adapter that is not there', { adapter_id: 'absent' }, 404, 'there is no adapter absent'],
    [
      'a model that is not there',
      { base_model: 'acme/absent' },
      404,
      'acme/absent is not in the catalog',
    ],
    [
      'a model of an upstream server',
      { base_model: 'acme/scripted' },
      422,
      'is not served by Quipu itself',
    ],
    ['no prompt', { prompt: '' }, 400, 'prompt'],
    ['a temperature beyond 2', { temperature: 2.1 }, 400, 'temperature'],
    ['a name that cannot be one', { adapter_id: '../nano' }, 400, 'adapter_id'],
  ])('are refused without a charge: %s', async (_, change, status, message) => {
    const before = (await world.events()).length;
    const { body } = await infer({ adapter_id: 'bullets', prompt: PROMPT, ...change }).expect(
      status,
    );
    expect(body).toMatchObject({ message: expect.stringContaining(message) });
    expect((await world.events()).length).toBe(before);
  });

  it('can be uploaded, used by their account alone, and removed', async () => {
    const { body } = await upload({}).expect(201);
    expect(body).toMatchObject({
      adapter: { slug: 'house-style', source: 'uploaded', rank: 2, alpha: 4, held_out: null },
    });
    const { adapter_id: id } = (body as { adapter: { adapter_id: string } }).adapter;
    const asked = { prompt: PROMPT, max_tokens: 6, temperature: 0 };
    await infer({ ...asked, adapter_id: id }).expect(200);
    await infer({ ...asked, adapter_id: 'house-style' }).expect(200);
    expect(await vault({ category: 'register', limit: 100 })).toMatchObject({
      adapters: expect.arrayContaining([expect.objectContaining({ slug: 'house-style' })]),
    });
    await upload({}).expect(409);
    const remove = () => as(request(world.quipu.url).delete(`${VAULT}/${id}`));
    const engineFiles = () => readdir(path.join(world.home, 'models', 'adapters'));
    const before = (await engineFiles()).length;
    await remove().expect(200);
    expect((await engineFiles()).length).toBe(before - 1);
    await remove().expect(404);
    await infer({ ...asked, adapter_id: id }).expect(404);
  });

  it.each([
    ['a shipped slug', { slug: 'bullets' }, weightsOf(), config, 409, 'slug'],
    ['a slug in capitals', { slug: 'House' }, weightsOf(), config, 400, 'slug'],
    ['an unknown base', { base_model: 'acme/none' }, weightsOf(), config, 404, 'acme/none'],
    ['a number that is none', {}, weightsOf(NaN), config, 422, 'adapter_model.safetensors'],
    ['another rank', {}, weightsOf(), { ...config, r: 3 }, 422, 'adapter_model.safetensors'],
    ['no rank', {}, weightsOf(), { ...config, r: null }, 422, 'adapter_config.json'],
    ['a file that is none', {}, Buffer.from('no'), config, 422, 'adapter_model.safetensors'],
  ])('are not stored with a fault: %s', async (_, fields, weights, settings, status, field) => {
    const { body } = await upload(fields, weights, settings).expect(status);
    expect(body).toMatchObject({ message: expect.stringContaining(field) });
  });

  it('name what a form lacks, and refuse one that is too large', async () => {
    const url = world.quipu.url;
    const { body } = await as(request(url).post(VAULT)).field('slug', 'a').expect(400);
    expect(body).toMatchObject({ param: 'category' });
    await as(request(url).post(VAULT)).send({ slug: 'a' }).expect(415);
    await upload({}, Buffer.alloc(16 * 1_024 ** 2 + 1)).expect(413);
  });

  it('are uploaded, listed and removed on the command line', async () => {
    await writeFile(path.join(folder, 'adapter_config.json'), JSON.stringify(config));
    await writeFile(path.join(folder, 'adapter_model.safetensors'), weightsOf());
    const owner = ['--user', 'demo'];
    const options = ['--slug', 'mine', '--category', 'own', '--base-model', 'quipu/nano'];
    const stored = await quipu.result('adapters', 'upload', folder, ...owner, ...options);
    expect(stored).toMatchObject({ slug: 'mine', size_bytes: weightsOf().length });
    const listed = await quipu.result('adapters', 'list', ...owner, '--category', 'own');
    expect(listed).toMatchObject({ adapters: [{ slug: 'mine', base_model: 'quipu/nano' }] });
    await quipu.result('adapters', 'remove', 'mine', '--yes', ...owner);
    const left = await quipu.result('adapters', 'list', ...owner, '--category', 'own');
    expect(left).toMatchObject({ adapters: [] });
  });

  it('leave no weights in the log', async () => {
    const log = JSON.stringify((await world.events()).map(({ data }) => data));
    expect(log).toContain('house-style');
    expect(log).not.toContain('lora_A');
    expect(await readFile(path.join(MODELS, 'adapters', 'manifest.json'), 'utf8')).toContain(
      'bullets',
    );
  });
});
