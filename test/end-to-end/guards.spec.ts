import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { toFile } from 'openai';
import request from 'supertest';
import { chunksOf, eventOf, type Script, sse } from '#areas/inference/rigs/upstream.fake.js';
import { loadQuipu } from './loaded-quipu.js';
import {
  answering,
  chatRequest,
  eventsOf,
  eventually,
  MODEL,
  startWorld,
  type World,
} from './quipu.harness.js';
import { vectorCatalog } from './vector-stores.fixture.js';

const MAIL = 'ada@knots.example';
const CARD = '4242 4242 4242 4242';
const RULES = `
rules:
  - { id: mail, what: email, on: both, do: redact }
  - { id: cards, what: card, on: both, do: block }
  - { id: projects, what: pattern, pattern: 'project [a-z]{3,12}', on: request, do: flag }
`;

type Json = Readonly<Record<string, unknown>>;

const TELL = { role: 'user' as const, content: `I am ${MAIL} of project quipu` };
const PAY = { role: 'user' as const, content: `I pay by ${CARD}` };

describe('the rules of the operator', () => {
  let world: World;
  let folder: string;
  /** The words of the answer. */
  let words: readonly string[];
  let script: Script | undefined;
  const rig: Script = (response, received) => (script ?? answering(...words))(response, received);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-guards-'));
    const file = path.join(folder, 'guards.yaml');
    await writeFile(file, RULES);
    world = await startWorld([rig], {
      environment: { QUIPU_GUARDS: file },
      catalogOf: vectorCatalog,
    });
  });

  beforeEach(() => {
    script = undefined;
    words = ['Write', ' to ', 'bob@', 'knots.example', ', please'];
  });

  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  const post = (at: string, body: Json) =>
    request(world.quipu.url)
      .post(at)
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .send(body);
  const received = () => JSON.stringify(world.upstream.received.at(-1)?.body);
  const moneyOf = async (headers: unknown) =>
    eventsOf(await world.events(), (headers as { readonly 'x-request-id': string })['x-request-id'])
      .filter(({ type }) => type.startsWith('Hold'))
      .map(({ type, data }) => [type, (data as { readonly outcome?: string }).outcome]);
  const hits = async (): Promise<readonly Json[]> =>
    (await world.events())
      .filter(({ type }) => type === 'GuardHitsRecorded')
      .flatMap(({ data }) => (data as { readonly texts: readonly Json[] }).texts);

  it('redact a chat before it is sent, and its answer', async () => {
    const { body, headers } = await post('/v1/chat/completions', chatRequest({ messages: [TELL] }));
    expect(received()).toContain('I am [redacted:mail] of project quipu');
    expect(body).toMatchObject({
      model: MODEL,
      choices: [{ message: { content: 'Write to [redacted:mail], please' } }],
      usage: { prompt_tokens: 9, completion_tokens: 5 },
    });
    expect(await moneyOf(headers)).toEqual([
      ['HoldPlaced', undefined],
      ['HoldCaptured', 'completed'],
    ]);
    const holdId = headers['x-request-id'];
    const ofRequest = async () => (await hits()).filter((one) => one['holdId'] === holdId);
    await eventually(async () => (await ofRequest()).length > 1);
    expect(await ofRequest()).toMatchObject([
      {
        accountId: '1',
        model: MODEL,
        on: 'request',
        hits: [
          { rule: 'mail', does: 'redact', matches: 1, hasFailed: false },
          { rule: 'projects', does: 'flag', matches: 1, hasFailed: false },
        ],
      },
      { on: 'answer', hits: [{ rule: 'mail', matches: 1 }] },
    ]);
    const log = (await world.events()).map(({ data }) => JSON.stringify(data)).join('');
    expect(log).not.toContain('knots.example');
    const shown = await request(world.quipu.url)
      .get(`/api/v1/requests/${holdId}`)
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .expect(200);
    const failed = false;
    expect((shown.body as { readonly request: Json }).request['guard_hits']).toEqual([
      { rule: 'mail', action: 'redact', on: 'request', matches: 1, failed },
      { rule: 'projects', action: 'flag', on: 'request', matches: 1, failed },
      { rule: 'mail', action: 'redact', on: 'answer', matches: 1, failed },
    ]);
  });

  it.each([
    ['/v1/chat/completions', chatRequest({ messages: [PAY] })],
    ['/v1/chat/completions', chatRequest({ messages: [PAY], stream: true })],
    ['/v1/completions', { model: MODEL, prompt: PAY.content }],
    ['/v1/responses', { model: MODEL, input: PAY.content }],
    ['/v1/responses', { model: MODEL, input: PAY.content, background: true }],
  ])('block a request to %s before it is held: %j', async (at, body) => {
    const before = world.upstream.received.length;
    const answer = await post(at, body).expect(400);
    expect(answer.body).toMatchObject({
      error: { code: 'guard_blocked', message: expect.stringContaining('the rule cards') },
    });
    expect(answer.text).not.toContain('4242');
    expect(world.upstream.received).toHaveLength(before);
    expect(await moneyOf(answer.headers)).toEqual([]);
  });

  it.each([
    ['/v1/embeddings', { model: 'quipu-embed-768', input: ['a', PAY.content] }],
    ['/v1/rerank', { model: 'quipu-embed-768', query: 'a', documents: [PAY.content] }],
    ['/v1/moderations', { input: PAY.content }],
    ['/v1/images/generations', { prompt: PAY.content }],
    ['/v1/audio/speech', { model: 'tts-1', voice: 'alloy', input: PAY.content }],
  ])('block a request to %s before it is held, without a chat: %j', async (at, body) => {
    const answer = await post(at, body).expect(400);
    expect(answer.text).toContain('guard_blocked');
    expect(answer.text).not.toContain('4242');
    expect(await moneyOf(answer.headers)).toEqual([]);
  });

  it('redact the texts of embeddings, and reject ids of tokens that they cannot read', async () => {
    const embed = (input: unknown) => post('/v1/embeddings', { model: 'quipu-embed-768', input });
    const vectorOf = ({ body }: request.Response) => (body as { readonly data: Json[] }).data[0];
    const guarded = vectorOf(await embed(TELL.content).expect(200));
    expect(guarded).toEqual(vectorOf(await embed('I am [redacted:mail] of project quipu')));
    const { body } = await embed([1, 2]).expect(400);
    expect(body).toMatchObject({ error: { param: 'input' } });
  });

  it('block a message with the error of its interface', async () => {
    const { body } = await post('/v1/messages', {
      model: MODEL,
      max_tokens: 50,
      messages: [PAY],
    }).expect(400);
    expect(body).toMatchObject({ type: 'error', error: { code: 'guard_blocked' } });
  });

  it('redact a stream whose match comes in parts', async () => {
    const stream = await world.openai.chat.completions.create({
      ...chatRequest({ messages: [TELL] }),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toBe('Write to [redacted:mail], please');
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(['stop']);
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 5 });
  });

  it('end a stream with content_filter, charged for its delivered part', async () => {
    const parts = ['The number is ', '4242 4242', ' 4242 4242', ', ok'.repeat(100)];
    script = sse(
      chunksOf(...parts)
        .slice(0, -1)
        .map(eventOf),
      'hang',
    );
    const { text, headers } = await post('/v1/chat/completions', chatRequest({ stream: true }));
    expect(text).toContain('"finish_reason":"content_filter"');
    expect(text).not.toContain('4242');
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(await moneyOf(headers)).toEqual([
      ['HoldPlaced', undefined],
      ['HoldCaptured', 'guard_blocked'],
    ]);
    await world.upstream.received.at(-1)?.left;
  });

  it('end a whole answer with content_filter in each interface', async () => {
    words = ['It is ', CARD];
    const chat = await post('/v1/chat/completions', chatRequest()).expect(200);
    expect(chat.body).toMatchObject({
      choices: [{ message: { content: '' }, finish_reason: 'content_filter' }],
      usage: { completion_tokens: 2 },
    });
    const message = { model: MODEL, max_tokens: 50, messages: [{ role: 'user', content: 'a' }] };
    const { body } = await post('/v1/messages', message).expect(200);
    expect(body).toMatchObject({ stop_reason: 'refusal' });
    expect(JSON.stringify(body)).not.toContain('4242');
    const response = await post('/v1/responses', { model: MODEL, input: 'a' }).expect(200);
    expect(response.body).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
    });
  });

  it('redact messages and responses, whole and streamed', async () => {
    const message = { model: MODEL, max_tokens: 50, system: `for ${MAIL}`, messages: [TELL] };
    const whole = await post('/v1/messages', message).expect(200);
    expect(received()).toContain('for [redacted:mail]');
    expect(whole.body).toMatchObject({ content: [{ text: 'Write to [redacted:mail], please' }] });
    const response = await post('/v1/responses', { model: MODEL, input: TELL.content });
    expect(received()).not.toContain(MAIL);
    expect(JSON.stringify(response.body)).toContain('Write to [redacted:mail], please');
    for (const [at, body] of [
      ['/v1/messages', message],
      ['/v1/responses', { model: MODEL, input: 'a' }],
    ] as const) {
      const { text } = await post(at, { ...body, stream: true }).expect(200);
      expect(text).toContain('[redacted:mail], please');
      expect(text).not.toContain('knots.example');
    }
  });

  it('redact a response in the background, and keep its answer redacted', async () => {
    const { responses } = world.openai;
    const { id } = await responses.create({ model: MODEL, input: TELL.content, background: true });
    await eventually(async () => (await responses.retrieve(id)).status === 'completed');
    expect(received()).toContain('I am [redacted:mail] of project quipu');
    expect((await responses.retrieve(id)).output_text).toBe('Write to [redacted:mail], please');
  });

  it('block and redact the lines of a batch, each by itself', async () => {
    const line = (customId: string, message: object): string =>
      JSON.stringify({
        custom_id: customId,
        method: 'POST',
        url: '/v1/chat/completions',
        body: { model: MODEL, messages: [message] },
      });
    const text = [line('tell', TELL), line('pay', PAY)].join('\n');
    const file = await toFile(Buffer.from(text), 'requests.jsonl');
    const { batches, files } = world.openai;
    const { id: inputFileId } = await files.create({ file, purpose: 'batch' });
    const { id } = await batches.create({
      input_file_id: inputFileId,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    await eventually(async () => (await batches.retrieve(id)).status === 'completed');
    const { output_file_id: output, error_file_id: errors } = await batches.retrieve(id);
    const read = async (fileId: string | null | undefined) =>
      (await files.content(fileId ?? '')).text();
    expect(await read(output)).toContain('Write to [redacted:mail], please');
    const failed = await read(errors);
    expect(failed).toContain('"custom_id":"pay"');
    expect(failed).toContain('guard_blocked');
  });
});

describe('rules that cannot be read', () => {
  it('stop the start, by the name of their field', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-guards-'));
    const file = path.join(folder, 'guards.yaml');
    await writeFile(file, 'rules: [{ id: a, what: email, on: both, do: hide }]');
    const { startStandalone } = await loadQuipu();
    const environment = { QUIPU_HOME: folder, QUIPU_GUARDS: file, QUIPU_LOG_LEVEL: 'silent' };
    await expect(Promise.try(startStandalone, environment)).rejects.toThrow(
      'rules[0].do: expected "block" or "redact" or "flag"',
    );
    await rm(folder, { recursive: true, force: true });
  });
});
