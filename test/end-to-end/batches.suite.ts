import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import path from 'node:path';
import { type Script } from '#areas/inference/rigs/upstream.fake.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import {
  answering,
  eventually,
  MODEL,
  overstating,
  scriptedCatalog,
  startWorld,
  type World,
  type WorldOptions,
} from './quipu.harness.js';

const NANO = path.resolve(import.meta.dirname, '../../models/nano.gguf');
const PATH = '/v1/chat/completions';
const DEAR = 'acme/dear';

/** The scripted model, the built-in one, and one that no account can pay. */
const catalogOf = (baseUrl: string): string =>
  `${scriptedCatalog(baseUrl).replace('rigs:\n', 'rigs:\n  - { name: built-in, kind: embedded }\n')}
  - { id: ${DEAR}, owned_by: acme, rigs: [scripted], context: 8192, max_output: 100,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1000000 } }
  - { id: quipu/nano, upstream_id: nano, owned_by: quipu, rigs: [built-in], context: 1024,
      max_output: 16, file: ${NANO}, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 3 } }
`;

interface Line {
  readonly id: string;
  readonly custom_id: string;
  readonly response: {
    readonly status_code: number;
    readonly body: OpenAI.ChatCompletion & { readonly error?: Record<string, unknown> };
  } | null;
  readonly error: { readonly code: string } | null;
  readonly charged?: { readonly input_tokens: number; readonly output_tokens: number };
}

const request = (customId: string, body: object = {}): string =>
  JSON.stringify({
    custom_id: customId,
    method: 'POST',
    url: PATH,
    body: {
      model: 'quipu/nano',
      messages: [{ role: 'user', content: `What is Quipu? (${customId})` }],
      max_tokens: 8,
      ...body,
    },
  });

const TERMINAL: readonly string[] = ['failed', 'completed', 'expired', 'cancelled'];

/** The life of batches by the official client, on any stores. */
export const batchesSuite = (title: string, options: WorldOptions = {}): void =>
  describe(title, () => {
    let world: World;
    let script: Script = answering('Knots', '.');

    beforeAll(async () => {
      const answer: Script = (response, received) => script(response, received);
      world = await startWorld([answer], { catalogOf, ...options });
    });

    afterAll(() => world.close());

    const upload = async (...lines: readonly string[]): Promise<string> => {
      const file = await toFile(Buffer.from(lines.join('\n')), 'requests.jsonl');
      return (await world.openai.files.create({ file, purpose: 'batch' })).id;
    };

    const create = (inputFileId: string, more: object = {}) =>
      world.openai.batches.create({
        input_file_id: inputFileId,
        endpoint: PATH,
        completion_window: '24h',
        ...more,
      });

    const ended = async (id: string): Promise<OpenAI.Batch> => {
      let batch = await world.openai.batches.retrieve(id);
      await eventually(async () => {
        batch = await world.openai.batches.retrieve(id);
        return TERMINAL.includes(batch.status);
      });
      return batch;
    };

    const read = async (fileId: string | null | undefined): Promise<readonly Line[]> => {
      const text = await (await world.openai.files.content(fileId ?? '')).text();
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Line);
    };

    /** The events of the hold of a batch. */
    const chargesOf = async ({ id }: OpenAI.Batch): Promise<readonly RecordedEvent[]> => {
      const charges = (): Promise<readonly RecordedEvent[]> =>
        world
          .events()
          .then((events) =>
            events.filter(({ type, data }) => type === 'HoldCaptured' && ofBatch(data, id)),
          );
      await eventually(async () => (await charges()).length > 0);
      return charges();
    };

    const ofBatch = (data: unknown, id: string): boolean => {
      const { evidence } = data as { readonly evidence: { readonly batchId?: string } };
      return evidence.batchId?.replaceAll('-', '') === id.replace('batch_', '');
    };

    it('are uploaded, created, awaited and downloaded, at half the price', async () => {
      const inputFileId = await upload(
        request('first'),
        request('hot', { temperature: 3 }),
        request('second'),
        request('stream', { stream: true }),
      );
      const batch = await create(inputFileId, { metadata: { team: 'knots' } });
      expect(batch).toMatchObject({
        id: expect.stringMatching(/^batch_[0-9a-f]{32}$/),
        object: 'batch',
        endpoint: PATH,
        errors: null,
        input_file_id: inputFileId,
        completion_window: '24h',
        metadata: { team: 'knots' },
        model: 'quipu/nano',
      });
      expect((batch.expires_at ?? 0) - batch.created_at).toBe(86_400);

      const done = await ended(batch.id);
      expect(done).toMatchObject({
        status: 'completed',
        request_counts: { total: 4, completed: 2, failed: 2 },
        errors: null,
        failed_at: null,
        cancelled_at: null,
      });
      for (const at of [done.in_progress_at, done.finalizing_at, done.completed_at]) {
        expect(at).toBeGreaterThanOrEqual(batch.created_at);
      }

      const output = await read(done.output_file_id);
      expect(output.map(({ custom_id: id }) => id).toSorted()).toEqual(['first', 'second']);
      expect(output[0]).toMatchObject({
        response: { status_code: 200, body: { object: 'chat.completion', model: 'quipu/nano' } },
        error: null,
      });
      const errors = await read(done.error_file_id);
      expect(errors.map(({ custom_id: id }) => id).toSorted()).toEqual(['hot', 'stream']);
      for (const { response, error } of errors) {
        expect(error).toBeNull();
        expect(response).toMatchObject({
          status_code: 400,
          body: { error: { type: 'invalid_request_error', code: 'invalid_request' } },
        });
      }
      const { filename, purpose } = await world.openai.files.retrieve(done.output_file_id ?? '');
      expect({ filename, purpose }).toEqual({
        filename: `${batch.id}_output.jsonl`,
        purpose: 'batch_output',
      });

      const sum = (meter: 'input_tokens' | 'output_tokens'): number =>
        output.reduce((tokens, { charged }) => tokens + (charged?.[meter] ?? 0), 0);
      const [input, tokens] = [sum('input_tokens'), sum('output_tokens')];
      expect(done.usage).toMatchObject({ input_tokens: input, output_tokens: tokens });
      // 1 and 3 micro-dollars a token, less 50 percent, rounded up once.
      const amount = Math.ceil((input * 1 + tokens * 3) / 2);
      expect(await chargesOf(done)).toMatchObject([
        {
          data: {
            purpose: 'batch',
            amountMicroUsd: String(amount),
            rateCardVersion: 1,
            outcome: 'completed',
            evidence: { endpoint: PATH, inputFileId, model: 'quipu/nano', outcome: 'completed' },
          },
        },
      ]);
    });

    it.each([
      ['/v1/completions', { prompt: ['What is Quipu?', 'A knot'] }, 'text_completion'],
      ['/v1/responses', { input: 'What is Quipu?', max_output_tokens: 8 }, 'response'],
    ])('ask %s, and are answered in its shape', async (endpoint, body, object) => {
      const line = (customId: string, more: object = {}): string =>
        JSON.stringify({
          custom_id: customId,
          method: 'POST',
          url: endpoint,
          body: { model: 'quipu/nano', ...body, ...more },
        });
      const inputFileId = await upload(line('good'), line('bad', { stream: true }));
      const done = await ended((await create(inputFileId, { endpoint })).id);
      expect(done.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
      const [output] = await read(done.output_file_id);
      expect(output?.response?.body).toMatchObject({ object, model: 'quipu/nano' });
      const { input_tokens: input = 0, output_tokens: tokens = 0 } = output?.charged ?? {};
      expect(Math.min(input, tokens)).toBeGreaterThan(0);
      const amount = Math.ceil((input * 1 + tokens * 3) / 2);
      expect(await chargesOf(done)).toMatchObject([
        { data: { amountMicroUsd: String(amount), evidence: { endpoint } } },
      ]);
      const [failed] = await read(done.error_file_id);
      expect(failed?.response?.body).toMatchObject({ error: { param: 'stream' } });
    });

    it('name the doubts about the usage that a rig states', async () => {
      script = overstating;
      const done = await ended((await create(await upload(request('a', { model: MODEL })))).id);
      script = answering('Knots', '.');
      const doubts = ['parts_above_total'];
      expect(done).toMatchObject({ status: 'completed', usage_doubts: doubts });
      expect(await read(done.output_file_id)).toMatchObject([{ usage_doubts: doubts }]);
      const [charge] = await chargesOf(done);
      expect(charge?.data).toMatchObject({ evidence: { usageDoubts: doubts } });
      const events = await world.events();
      const naming = events.filter(({ data }) => JSON.stringify(data).includes('usageDoubts'));
      expect(naming.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['JobCompleted', 'HoldCaptured', 'BatchEnded']),
      );
    });

    it('fail when their input has a fault, with the number of each line', async () => {
      const inputFileId = await upload(
        request('a'),
        request('a'),
        'nonsense',
        request('b', { model: MODEL }),
      );
      const batch = await create(inputFileId);
      expect(batch.status).toBe('failed');
      expect(batch.failed_at).toBe(batch.created_at);
      expect(batch.errors).toEqual({
        object: 'list',
        data: [
          {
            code: 'duplicate_custom_id',
            line: 2,
            param: 'custom_id',
            message: 'custom_id is the one of line 1',
          },
          {
            code: 'invalid_json_line',
            line: 3,
            param: null,
            message: 'the line is not a JSON object',
          },
          expect.objectContaining({ code: 'model_mismatch', line: 4, param: 'body.model' }),
        ],
      });
    });

    it('are cancelled: what is completed is kept, what a rig had begun is charged', async () => {
      let answered = 0;
      script = (response, received) => {
        answered += 1;
        if (answered <= 3) answering('Knots', '.')(response, received);
      };
      const lines = Array.from({ length: 12 }, (_, index) =>
        request(`line-${index}`, { model: MODEL }),
      );
      const batch = await create(await upload(...lines));
      await eventually(() => answered > 3);
      const cancelling = await world.openai.batches.cancel(batch.id);
      expect(['cancelling', 'cancelled']).toContain(cancelling.status);
      expect(cancelling.cancelling_at).toBeGreaterThanOrEqual(batch.created_at);
      const done = await ended(batch.id);
      expect(done).toMatchObject({
        status: 'cancelled',
        request_counts: { total: 12, completed: 3 },
      });
      expect(await read(done.output_file_id)).toHaveLength(3);
      const errors = await read(done.error_file_id);
      expect(errors).toHaveLength(9);
      expect(errors.map(({ response }) => response)).toEqual(Array(9).fill(null));
      const begun = errors.filter(({ error }) => error?.code === 'request_aborted');
      expect(begun.length).toBeGreaterThan(0);
      expect(done.request_counts?.failed).toBe(begun.length);
      for (const { error, charged } of errors) {
        expect(error?.code === 'request_aborted' || error?.code === 'batch_cancelled').toBe(true);
        expect(charged !== undefined).toBe(error?.code === 'request_aborted');
      }
      // 9 tokens at 1 and 2 at 2 micro-dollars, three times, and the prompts, less 50 percent.
      const prompts = begun.reduce((sum, { charged }) => sum + (charged?.['input_tokens'] ?? 0), 0);
      expect(prompts).toBeGreaterThan(0);
      const amountMicroUsd = String(Math.ceil((3 * 13 + prompts) / 2));
      expect(await chargesOf(done)).toMatchObject([{ data: { amountMicroUsd } }]);
      await expect(world.openai.batches.cancel(batch.id)).resolves.toMatchObject({
        status: 'cancelled',
      });
    });

    it('are listed newest first, in pages, for their account only', async () => {
      const all = await Array.fromAsync(world.openai.batches.list({ limit: 2 }));
      expect(all.length).toBeGreaterThanOrEqual(3);
      const times = all.map(({ created_at: at }) => at);
      expect(times).toEqual(times.toSorted((one, other) => other - one));
      const page = await world.openai.batches.list({ limit: 1 });
      expect(page).toMatchObject({ has_more: true, data: [{ id: all[0]?.id }] });
    });

    it('answer bad requests in the shape of OpenAI', async () => {
      const inputFileId = await upload(request('a'));
      await expect(create(inputFileId, { endpoint: '/v1/none' })).rejects.toMatchObject({
        status: 400,
        param: 'endpoint',
        code: 'batch_endpoint_unknown',
      });
      await expect(create(inputFileId, { completion_window: '1h' })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('completion_window'),
      });
      const metadata = { long: 'x'.repeat(513) };
      await expect(create(inputFileId, { metadata })).rejects.toMatchObject({ status: 400 });
      await expect(create('file-none')).rejects.toMatchObject({
        status: 404,
        param: 'input_file_id',
      });
      for (const id of ['batch_none', `batch_${'0'.repeat(32)}`]) {
        await expect(world.openai.batches.retrieve(id)).rejects.toBeInstanceOf(
          OpenAI.NotFoundError,
        );
        await expect(world.openai.batches.cancel(id)).rejects.toMatchObject({ status: 404 });
      }
      const file = await toFile(Buffer.from('{}'), 'data.txt');
      const data = await world.openai.files.create({ file, purpose: 'user_data' });
      await expect(create(data.id)).rejects.toMatchObject({
        status: 400,
        code: 'batch_input_purpose',
      });
    });

    it('need the funds for their worst case, and leave nothing behind without them', async () => {
      const before = await Array.fromAsync(world.openai.batches.list());
      const inputFileId = await upload(request('a', { model: DEAR, max_tokens: 100 }));
      await expect(create(inputFileId)).rejects.toMatchObject({
        status: 402,
        code: 'insufficient_balance',
      });
      expect(await Array.fromAsync(world.openai.batches.list())).toHaveLength(before.length);
    });

    it('fit into the budget of their key, or leave nothing behind', async () => {
      const { api_key: apiKey, username, password } = world.credentials;
      const listed = await fetch(`${world.quipu.url}/api/v1/auth/keys`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      const { keys } = (await listed.json()) as { keys: { id: string; kind: string }[] };
      const key = keys.find(({ kind }) => kind === 'user')?.id ?? '';
      // A key with a budget cannot lift it, so the user sets it without a key.
      const login = await fetch(`${world.quipu.url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password, scopes: ['manage_money'] }),
      });
      const { access_token: token } = (await login.json()) as { readonly access_token: string };
      const budget = async (method: string, body?: object): Promise<void> => {
        const { status } = await fetch(`${world.quipu.url}/api/v1/budgets/keys/${key}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
        expect(status).toBe(200);
      };
      const inputFileId = await upload(request('a'));
      await budget('PUT', { usd_per_day: 0.000001 });
      await expect(create(inputFileId)).rejects.toMatchObject({
        status: 402,
        code: 'budget_exceeded',
        error: { metadata: { limit_source: 'key' } },
      });
      await budget('DELETE');
      await create(inputFileId);
      const placed = (await world.events()).filter(({ type }) => type === 'HoldPlaced').at(-1);
      expect(placed?.data).toMatchObject({ purpose: 'batch', key });
    });

    it('are created once for an Idempotency-Key', async () => {
      const inputFileId = await upload(request('a'));
      const send = () =>
        world.openai.batches.create(
          { input_file_id: inputFileId, endpoint: PATH, completion_window: '24h' },
          { headers: { 'idempotency-key': 'the same batch' } },
        );
      const [one, other] = [await send(), await send()];
      expect(other).toEqual(one);
      await ended(one.id);
    });
  });
