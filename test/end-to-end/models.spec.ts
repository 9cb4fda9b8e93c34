import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import request from 'supertest';
import {
  configOf,
  microGguf,
  microModel,
  safetensorsOf,
  tokenizerOf,
} from '#engines/model-import/model-import.fixture.js';
import { TrainingFolder } from '#engines/training/training.fixture.js';
import { CommandLine } from './command-line.fixture.js';
import { eventually, scriptedCatalog, startWorld, type World } from './quipu.harness.js';

const MODELS = '/api/v1/models';
const NANO = path.resolve(import.meta.dirname, '../../models/nano.gguf');
const CARD = { name: 'Micro', licence: 'MIT', source: 'https://example.org/micro' };

/** Nano is larger than every upload here, and has the same tokens. */
const catalogOf = (baseUrl: string): string =>
  `${scriptedCatalog(baseUrl).replace(
    'models:',
    `  - { name: built-in, kind: embedded }
models:
  - { id: quipu/nano, owned_by: quipu, rigs: [built-in], file: ${NANO},
      context: 1024, max_output: 64, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }`,
  )}
meters:
  - { meter: training_ms, usd: 1, per: 1000000 }
  - { meter: weight_products, usd: 1, per: 1000000000000 }
  - { meter: package_bytes, usd: 1, per: 1000000000 }
`;

describe('an uploaded model', () => {
  let world: World;
  let folder: TrainingFolder;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    folder = await TrainingFolder.make();
    world = await startWorld([], { catalogOf });
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '100', '--reason', 'spec');
  });

  afterAll(async () => {
    await world.close();
    await rm(folder.path, { recursive: true });
  });

  const as = <Test extends request.Test>(test: Test): Test =>
    test.set('authorization', `Bearer ${world.credentials.api_key}`);

  const uploaded = async (name: string, content: Uint8Array | string): Promise<string> => {
    const file = await toFile(Buffer.from(content), name);
    return (await world.openai.files.create({ file, purpose: 'user_data' })).id;
  };

  const imported = (body: object) =>
    as(request(world.quipu.url).post(MODELS))
      .set('idempotency-key', randomUUID())
      .send({ card: CARD, ...body });

  it('is listed to its account, answers it, and is deleted', async () => {
    const file = await uploaded('micro.gguf', await microGguf());
    const card = { ...CARD, base_tokenizer: 'quipu/nano', context_length: 128 };
    const made = await imported({ name: 'micro', file, card });
    expect(made.body).toMatchObject({
      success: true,
      model: expect.stringMatching(/^\d+\/micro$/),
      format: 'gguf',
      tensor_formats: ['F32'],
      context_length: 128,
      chat_template: 'chatml',
      priced_as: 'quipu/nano',
      input_usd_per_mtok: 1,
      card: { name: 'Micro', licence: 'MIT', base_tokenizer: 'quipu/nano' },
    });
    expect(made.status).toBe(201);
    // The model is another file: the upload may be deleted.
    await world.openai.files.delete(file);
    const { model } = made.body as { readonly model: string };
    const listed = await world.openai.models.list();
    expect(listed.data.map(({ id }) => id)).toContain(model);
    const messages = [{ role: 'user' as const, content: 'What is a hold?' }];
    const chat = await world.openai.chat.completions.create({
      model,
      messages,
      max_completion_tokens: 4,
    });
    expect(chat.usage?.prompt_tokens).toBeGreaterThan(0);
    const ada = ['--username', 'ada', '--email', 'ada@example.org', '--role', 'renter'];
    const { api_key: apiKey } = (await quipu.result('user', 'create', ...ada)) as {
      readonly api_key: string;
    };
    const foreigner = new OpenAI({ baseURL: `${world.quipu.url}/v1`, apiKey, maxRetries: 0 });
    await expect(foreigner.models.retrieve(model)).rejects.toMatchObject({ status: 404 });
    const charge = { model, messages };
    await expect(foreigner.chat.completions.create(charge)).rejects.toMatchObject({ status: 404 });
    const again = await imported({ name: 'micro', file });
    expect(again.body).toMatchObject({ success: false, code: 'own_model_name_taken' });
    await expect(world.openai.models.delete(model)).resolves.toMatchObject({ deleted: true });
    const registered = (await world.events()).find(({ type }) => type === 'OwnModelRegistered');
    expect(registered?.data).toMatchObject({
      origin: { kind: 'upload', pricedAs: 'quipu/nano', card: { licence: 'MIT' } },
      price: { inputMicroUsdPerMtok: '1000000' },
    });
  });

  it('in safetensors is a student, and the source of a quantization and of a package', async () => {
    const micro = await microModel();
    const made = await imported({
      name: 'from-tensors',
      file: await uploaded('model.safetensors', safetensorsOf(micro)),
      config_file: await uploaded('config.json', configOf(micro)),
      tokenizer_file: await uploaded('tokenizer.json', tokenizerOf(micro.vocabulary)),
    });
    expect(made.body).toMatchObject({ success: true, format: 'safetensors' });
    const { model } = made.body as { readonly model: string };
    const orders: readonly (readonly [string, object])[] = [
      [
        '/api/v1/distill/index.php',
        {
          teacher_model: 'quipu/nano',
          student_base_model: model,
          job_name: 'of-an-upload',
          distillation_method: 'hybrid_loss',
          steps: 2,
          batch_size: 2,
        },
      ],
      ['/api/v1/quantize/bitnet.php', { model_name: model, weight_bits: 8 }],
      ['/api/v1/scif/package.php', { package_name: 'of-an-upload', model_source: model }],
    ];
    for (const [route, body] of orders) {
      const answer = await as(request(world.quipu.url).post(route)).send(body);
      if (answer.status > 202) throw new Error(JSON.stringify(answer.body));
    }
    await eventually(async () => {
      const list = await as(request(world.quipu.url).get('/api/v1/jobs'));
      const { jobs } = list.body as { readonly jobs: readonly { readonly state: string }[] };
      const ended = jobs.filter(({ state }) => state === 'completed');
      if (jobs.some(({ state }) => state === 'failed')) throw new Error(JSON.stringify(jobs));
      return ended.length === orders.length;
    });
  });

  it('is rejected with the reason, and nothing is registered', async () => {
    const micro = await microModel();
    const vocabulary = { ...micro.vocabulary, merges: micro.vocabulary.merges.toReversed() };
    const gguf = await microGguf();
    const file = await uploaded('micro.gguf', gguf);
    const tensors = await uploaded('model.safetensors', safetensorsOf(micro));
    const swapped = await uploaded('swapped.gguf', await microGguf({ vocabulary }));
    const cut = await uploaded('cut.gguf', gguf.subarray(0, 1_000));
    const base = { ...CARD, base_tokenizer: 'quipu/nano' };
    const rejections: readonly (readonly [object, number, string])[] = [
      [{ name: 'a', file: 'file-unknown' }, 404, 'uploaded_model_file_unknown'],
      [{ name: 'a', file: cut }, 422, 'uploaded_model_file_invalid'],
      [{ name: 'a', file: tensors }, 422, 'uploaded_model_side_file_invalid'],
      [{ name: 'a', file: swapped, card: base }, 422, 'uploaded_model_vocabulary_mismatch'],
      [{ name: 'A', file }, 400, 'invalid_request'],
      [{ name: 'a', file, card: { ...CARD, licence: '' } }, 400, 'invalid_request'],
      [{ name: 'a', file, card: { ...CARD, context_length: 512 } }, 422, 'uploaded_model_side'],
    ];
    for (const [body, status, code] of rejections) {
      const answer = await imported(body);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        status,
        expect.stringContaining(code),
      ]);
    }
  });

  it('is imported by the command line, and found by the gateway that runs', async () => {
    const files = {
      gguf: path.join(folder.path, 'm.gguf'),
      card: path.join(folder.path, 'c.json'),
    };
    await writeFile(files.gguf, await microGguf());
    await writeFile(files.card, JSON.stringify({ ...CARD, chat_template: 'plain' }));
    const options = ['--user', 'demo', '--name', 'by-command', '--card', files.card];
    const made = (await quipu.result('model', 'import', files.gguf, ...options)) as {
      readonly model: string;
    };
    expect(made).toMatchObject({ priced_as: 'quipu/nano', context_length: 256 });
    await eventually(async () => {
      const { data } = await world.openai.models.list();
      return data.some(({ id }) => id === made.model);
    });
  });
});
