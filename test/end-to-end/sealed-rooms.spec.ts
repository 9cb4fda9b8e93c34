import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import request from 'supertest';
import { openReply, UnsealableError } from '#engines/enclave/hpke.js';
import { FheClient } from '../../packages/fhe-client/index.mjs';
import { CommandLine, type CreatedUser } from './command-line.fixture.js';
import { startWorld, type World } from './quipu.harness.js';
import {
  ACTIONS,
  type Attestation,
  COLUMNS,
  ROOMS,
  sealPrompt,
  sealRows,
} from './sealed-rooms.fixture.js';

const MODEL = 'quipu/nano';
const NONCE = 'nonce-of-the-contributor';
/** Of a file of keys; the shortest that files may have. */
const LIFETIME = { anchor: 'created_at', seconds: 3_600 } as const;

const catalogOf = (): string => `
rigs:
  - { name: built-in, kind: embedded }
models:
  - { id: ${MODEL}, owned_by: quipu, rigs: [built-in], file: ${path.resolve('models/nano.gguf')},
      context: 1024, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
meters:
  - { meter: cleanroom_rows, usd: 0.000001, per: 1 }
  - { meter: fhe_multiplications, usd: 0.00001, per: 1 }
  - { meter: fhe_rotations, usd: 0.0001, per: 1 }
`;

/** Passes connections on, and records every byte that a client sends. */
class WireTap {
  readonly #sent: Buffer[] = [];
  #server: Server | undefined;

  async listen(target: string): Promise<string> {
    const { hostname, port } = new URL(target);
    const server = createServer((client) => {
      const gateway = connect(Number(port), hostname);
      client.on('data', (bytes: Buffer) => this.#sent.push(bytes));
      client.pipe(gateway).pipe(client);
      client.on('error', () => gateway.destroy());
      gateway.on('error', () => client.destroy());
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Whether the bytes were sent, as they are or in base64. */
  hasSent(bytes: Buffer): boolean {
    const sent = Buffer.concat(this.#sent);
    const texts = [0, 1, 2].map((offset) => bytes.subarray(offset).toString('base64').slice(0, -4));
    return sent.includes(bytes) || texts.some((text) => sent.includes(text));
  }

  close(): void {
    this.#server?.close();
  }
}

describe('sealed work in clean rooms', () => {
  let world: World;
  let ada: CreatedUser;
  let eve: CreatedUser;
  let room: string;
  const quipu = new CommandLine(() => world);

  const post = (url: string, body: object, key = world.credentials.api_key) =>
    request(world.quipu.url).post(url).set('authorization', `Bearer ${key}`).send(body);

  const attest = async (fields: object = {}, key = ada.api_key): Promise<Attestation> => {
    const body = { action: 'attest_enclave', cleanroom_uuid: room, ...fields };
    return (await post(ACTIONS, body, key).expect(200)).body as Attestation;
  };

  const chat = (body: object, key = ada.api_key) => post('/v1/chat/completions', body, key);

  /** The captured holds of a purpose, as the log has them. */
  const charges = async (purpose: string) =>
    (await world.events())
      .filter(({ type }) => type === 'HoldCaptured')
      .map(({ data }) => data as Readonly<Record<string, unknown>>)
      .filter((data) => data['purpose'] === purpose);

  beforeAll(async () => {
    world = await startWorld([], { catalogOf });
    ada = await quipu.createUser('ada', 'renter');
    eve = await quipu.createUser('eve', 'renter');
    for (const user of ['ada', 'eve']) {
      await quipu.result('account', 'credit', '--user', user, '--usd', '10', '--reason', 'spec');
    }
    const participants = [{ account_id: String(ada.user_id), role: 'contributor' }];
    const created = await post(ROOMS, { name: 'Wait times', total_epsilon: 4, participants });
    expect(created.status).toBe(200);
    ({ uuid: room } = (created.body as { cleanroom: { uuid: string } }).cleanroom);
    const schema = await request(world.quipu.url)
      .put(`${ROOMS}/${room}/schema`)
      .set('authorization', `Bearer ${world.credentials.api_key}`)
      .send({ columns: COLUMNS });
    expect(schema.status).toBe(200);
  });

  afterAll(() => world.close());

  describe('an attestation', () => {
    it('has the promised fields, and says that software attests itself', async () => {
      const answer = await attest({ nonce: NONCE });
      expect(answer).toMatchObject({
        success: true,
        cleanroom_uuid: room,
        cleanroom_name: 'Wait times',
        tee_type: 'software',
        attestation_status: 'self_reported',
        hardware_root_of_trust: 'none',
        pcr_measurements: {
          pcr_0: expect.stringMatching(/^[\da-f]{64}$/),
          pcr_2: expect.stringMatching(/^[\da-f]{64}$/),
          pcr_7: expect.stringMatching(/^[\da-f]{64}$/),
        },
        enclave_public_key_pem: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----/),
        verification_receipt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        nonce: NONCE,
        nonce_source: 'caller',
      });
      expect(await attest()).toMatchObject({
        nonce_source: 'server',
        enclave_key_id: answer.enclave_key_id,
      });
    });

    it('is verified offline by the command line', async () => {
      const answer = await attest({ nonce: NONCE });
      const file = path.join(world.home, 'attestation.json');
      await writeFile(file, JSON.stringify(answer));
      expect(await quipu.result('attest', 'verify', file, '--nonce', NONCE)).toMatchObject({
        cleanroom_uuid: room,
        attestation_status: 'self_reported',
        nonce_compared: true,
        signer_compared: false,
      });
      const wrong = await quipu.run('attest', 'verify', file, '--nonce', 'another-nonce');
      expect(wrong.exitCode).toBe(1);
      expect(wrong.stderr).toContain('receipt_nonce_mismatch');
    });

    it.each([['short'], ['x'.repeat(89)], ['with a space']])(
      'rejects the nonce %p',
      async (nonce) => {
        const body = { action: 'attest_enclave', cleanroom_uuid: room, nonce };
        await post(ACTIONS, body, ada.api_key).expect(400);
      },
    );

    it('is a 404 for an unknown room and for an outsider', async () => {
      const unknown = { action: 'attest_enclave', cleanroom_uuid: randomUUID() };
      const own = { action: 'attest_enclave', cleanroom_uuid: room };
      for (const [body, key] of [
        [unknown, ada.api_key],
        [own, eve.api_key],
      ] as const) {
        const answer = await post(ACTIONS, body, key).expect(404);
        expect(answer.body).toMatchObject({ code: 'cleanroom_not_found' });
      }
    });
  });

  describe('a deposit', () => {
    const ROWS = [
      ['north', 1.25],
      ['south', 0],
      ['north', 12],
    ];

    const deposit = async (
      rows: unknown,
      { version = 1, key = ada, fields = {} as object, sealedFor = String(ada.user_id) } = {},
    ) => {
      const attestation = await attest();
      const sealed = await sealRows(attestation, sealedFor, version, rows);
      const body = {
        action: 'deposit_encrypted_data',
        cleanroom_uuid: room,
        schema_version: version,
        enclave_key_id: attestation.enclave_key_id,
        sealed_rows: sealed,
        ...fields,
      };
      return { body, answer: await post(ACTIONS, body, key.api_key) };
    };

    const shown = async () => {
      const { body } = await request(world.quipu.url)
        .get(`${ROOMS}/${room}`)
        .set('authorization', `Bearer ${ada.api_key}`);
      return (body as { cleanroom: { contributions: readonly object[] } }).cleanroom;
    };

    const accepted = async () =>
      (await world.events()).filter(({ type }) => type === 'ContributionAccepted').length;

    it('is counted, charged by its rows, refused as a replay, and withdrawn', async () => {
      const { body, answer } = await deposit(ROWS);
      expect(answer.body).toMatchObject({ success: true, rows: 3, charged_micro_usd: '3' });
      const [charge] = await charges('cleanroom_deposit');
      expect(charge).toMatchObject({ lines: [{ meter: 'cleanroom_rows', quantity: 3 }] });
      expect((await shown()).contributions).toHaveLength(1);

      const replayed = await post(ACTIONS, body, ada.api_key).expect(409);
      expect(replayed.body).toMatchObject({ code: 'cleanroom_deposit_replayed' });

      const { contribution_id: id } = answer.body as { contribution_id: string };
      await request(world.quipu.url)
        .delete(`${ROOMS}/${room}/contributions/${id}`)
        .set('authorization', `Bearer ${ada.api_key}`)
        .expect(200);
      expect((await shown()).contributions).toHaveLength(0);
      // The key of the contribution is destroyed by a saga; then its message is known for ever.
      const code = async () => {
        const again = await post(ACTIONS, body, ada.api_key);
        return (again.body as { code?: string }).code;
      };
      expect(await code()).toBe('cleanroom_deposit_replayed');
    });

    it('has no row in any event', async () => {
      await deposit([['south', 11.75]]);
      const log = JSON.stringify((await world.events()).map(({ data }) => data));
      expect(log).not.toContain('11.75');
    });

    it.each([
      ['another contributor', { sealedFor: '999' }, 422, 'cleanroom_deposit_unreadable'],
      [
        'another enclave key',
        { fields: { enclave_key_id: '0123456789abcdef' } },
        409,
        'cleanroom_enclave_key_unknown',
      ],
      ['another schema', { version: 2 }, 409, 'cleanroom_schema_superseded'],
      [
        'bytes that are no message',
        { fields: { sealed_rows: 'AAAA' } },
        400,
        'cleanroom_deposit_invalid',
      ],
    ])('for %s is rejected, and stores nothing', async (_what, options, status, code) => {
      const before = await accepted();
      const held = (await charges('cleanroom_deposit')).length;
      const { answer } = await deposit(ROWS, options);
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({ code });
      expect(await accepted()).toBe(before);
      expect(await charges('cleanroom_deposit')).toHaveLength(held);
    });

    it.each([
      ['a value outside the domain', [['west', 1]]],
      ['a value beside the grid', [['north', 1.1]]],
      ['a row that is too short', [['north']]],
      ['no row', []],
      ['too many rows', Array.from({ length: 100_001 }, () => ['north', 0])],
    ])('with %s is rejected, and stores nothing', async (_what, rows) => {
      const before = await accepted();
      const { answer } = await deposit(rows);
      expect(answer.body).toMatchObject({ code: 'cleanroom_rows_invalid' });
      expect(await accepted()).toBe(before);
    });

    it('is not for an outsider', async () => {
      const { answer } = await deposit(ROWS, { key: eve, sealedFor: String(eve.user_id) });
      expect(answer.status).toBe(404);
    });
  });

  describe('a sealed chat', () => {
    const PROMPT = { messages: [{ role: 'user', content: 'What is a quipu?' }], temperature: 0 };
    const sealed = async (account = String(ada.user_id), prompt: unknown = PROMPT) => {
      const attestation = await attest();
      const exchange = await sealPrompt(attestation, account, MODEL, prompt);
      const body = {
        model: MODEL,
        routing_mode: 'cleanroom_enclave_infer',
        cleanroom_uuid: room,
        enclave_key_id: attestation.enclave_key_id,
        max_tokens: 8,
        messages: [{ role: 'user', content: exchange.bytes.toString('base64') }],
      };
      return { exchange, body };
    };

    it('has a reply that its caller opens, and costs its tokens', async () => {
      const { exchange, body } = await sealed();
      const answer = (await chat(body).expect(200)).body as OpenAI.ChatCompletion;
      const content = Buffer.from(answer.choices[0]?.message.content ?? '', 'base64');
      expect(JSON.parse(openReply(exchange, content).toString())).toEqual({
        content: expect.stringMatching(/\w/),
        finish_reason: 'length',
      });
      expect(() => openReply({ ...exchange, replySecret: Buffer.alloc(32) }, content)).toThrow(
        UnsealableError,
      );
      expect(answer).toMatchObject({
        model: MODEL,
        routing_mode: 'cleanroom_enclave_infer',
        usage: { completion_tokens: 8 },
        enclave: { tee_type: 'software', attestation_status: 'self_reported' },
      });
      const [charge] = await charges('cleanroom_enclave_chat');
      const { prompt_tokens: promptTokens } = answer.usage ?? { prompt_tokens: 0 };
      expect(charge).toMatchObject({
        lines: [
          { meter: 'input_tokens', quantity: promptTokens },
          { meter: 'output_tokens', quantity: 8 },
        ],
        evidence: { cleanroomId: room, model: MODEL, promptTokens, completionTokens: 8 },
      });
    });

    it('streams the same reply in one chunk', async () => {
      const { exchange, body } = await sealed();
      const { text } = await chat({ ...body, stream: true }).expect(200);
      const chunks = text
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)) as OpenAI.ChatCompletionChunk);
      const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
      const reply = openReply(exchange, Buffer.from(content, 'base64')).toString();
      expect(JSON.parse(reply)).toHaveProperty('content');
    });

    it.each([
      [{ messages: [{ role: 'user', content: 'What is a quipu?' }] }, 400, 'invalid_request'],
      [{ cleanroom_uuid: undefined }, 400, 'invalid_request'],
      [{ routing_mode: 'auto' }, 400, 'invalid_request'],
      [{ tools: [{}] }, 400, 'invalid_request'],
      [{ cleanroom_uuid: randomUUID() }, 404, 'cleanroom_not_found'],
      [{ model: 'acme/other' }, 404, 'cleanroom_model_unavailable'],
      [{ enclave_key_id: '0123456789abcdef' }, 409, 'cleanroom_enclave_key_unknown'],
    ])('is rejected with %j', async (change, status, code) => {
      const { body } = await sealed();
      const answer = await chat({ ...body, ...change });
      expect(answer.body).toMatchObject({ error: { code } });
      expect(answer.status).toBe(status);
    });

    it('of another account, or with a wrong prompt, is rejected and free', async () => {
      const before = (await charges('cleanroom_enclave_chat')).length;
      const foreign = await sealed('999');
      const unread = await chat(foreign.body).expect(422);
      expect(unread.body).toMatchObject({ error: { code: 'cleanroom_prompt_unreadable' } });
      const wrong = await sealed(undefined, { messages: [] });
      const invalid = await chat(wrong.body).expect(400);
      expect(invalid.body).toMatchObject({ error: { code: 'cleanroom_prompt_invalid' } });
      expect(await charges('cleanroom_enclave_chat')).toHaveLength(before);
    });
  });

  describe('a chat of ciphertexts', () => {
    const ROWS = [
      [1.5, -2, 0.25],
      [0, 3.5, -1],
    ];
    const WEIGHTS = [0.5, -1.25, 2];
    const tap = new WireTap();
    let tapped: string;
    let client: FheClient;
    let keys: Uint8Array;
    let keyFileId: string;

    const upload = async (bytes: Uint8Array, expires = true): Promise<string> => {
      const openai = new OpenAI({ baseURL: `${tapped}/v1`, apiKey: ada.api_key, maxRetries: 0 });
      const file = await toFile(bytes, 'keys.qfhe');
      const created = await openai.files.create({
        file,
        purpose: 'user_data',
        ...(expires && { expires_after: LIFETIME }),
      });
      return created.id;
    };

    const bodyOf = (fhe: object = {}, more: object = {}) => ({
      model: MODEL,
      routing_mode: 'cleanroom_fhe_eval',
      cleanroom_uuid: room,
      messages: [{ role: 'user', content: client.encrypt(ROWS) }],
      fhe: {
        key_file_id: keyFileId,
        operation: 'linear',
        length: 3,
        rows: 2,
        weights: WEIGHTS,
        bias: 1,
        ...fhe,
      },
      ...more,
    });

    const evaluate = (body: object, key = ada.api_key) =>
      request(tapped).post('/v1/chat/completions').set('authorization', `Bearer ${key}`).send(body);

    beforeAll(async () => {
      tapped = await tap.listen(world.quipu.url);
      client = await FheClient.create('ckks-8192');
      keys = client.evaluationKeys(4);
      keyFileId = await upload(keys);
    });

    afterAll(() => {
      client.close();
      tap.close();
    });

    it('is answered by a ciphertext, and costs its operations', async () => {
      const answer = await evaluate(bodyOf()).expect(200);
      const completion = answer.body as OpenAI.ChatCompletion;
      const scores = client.decrypt(completion.choices[0]?.message.content ?? '', 2, 3);
      for (const [at, row] of ROWS.entries()) {
        const score = row.reduce((sum, value, index) => sum + value * (WEIGHTS[index] ?? 0), 1);
        expect(scores[at]).toBeCloseTo(score, 2);
      }
      expect(completion).toMatchObject({
        fhe: {
          engine: 'embedded:node-seal@7.0.0',
          operation: 'linear',
          encrypted_operands: ['messages'],
          plain_operands: ['fhe.weights', 'fhe.bias'],
          multiplications: 1,
          rotations: 2,
          levels_left: 2,
          noise_budget: null,
        },
      });
      const [charge] = await charges('cleanroom_fhe_evaluation');
      expect(charge).toMatchObject({
        lines: [
          { meter: 'fhe_multiplications', quantity: 1 },
          { meter: 'fhe_rotations', quantity: 2 },
        ],
      });
    });

    it('never sends the secret key', () => {
      const saved = Buffer.from(client.save());
      for (const at of [200, Math.floor(saved.length / 2), saved.length - 200]) {
        expect(tap.hasSent(saved.subarray(at, at + 48))).toBe(false);
      }
      // The tap sees the evaluation keys.
      expect(tap.hasSent(Buffer.from(keys.subarray(5_000, 5_048)))).toBe(true);
    });

    it.each([
      [{}, { messages: [{ role: 'user', content: 'score my salary' }] }, 'invalid_request'],
      [{}, { messages: [{ role: 'user', content: 'c2NvcmUgbWU=' }] }, 'invalid_request'],
      [{}, { cleanroom_uuid: undefined }, 'invalid_request'],
      [{}, { fhe: undefined }, 'invalid_request'],
      [{ length: 0 }, {}, 'invalid_request'],
      [{ key_file_id: 'file-none' }, {}, 'fhe_keys_not_found'],
      [{ weights: [1] }, {}, 'fhe_operation_unsupported'],
      [{ operation: 'sum', length: 64, rows: 1, weights: [] }, {}, 'fhe_keys_insufficient'],
      [{}, { messages: [{ role: 'user', content: 'XqEQBAECAAA=' }] }, 'fhe_ciphertext_malformed'],
    ])('is rejected with %j and %j, and free', async (fhe, more, code) => {
      const before = (await charges('cleanroom_fhe_evaluation')).length;
      const answer = await evaluate(bodyOf(fhe, more));
      expect(answer.body).toMatchObject({ error: { code } });
      expect(await charges('cleanroom_fhe_evaluation')).toHaveLength(before);
    });

    it('says why plain text is rejected', async () => {
      const answer = await evaluate(
        bodyOf({}, { messages: [{ role: 'user', content: 'c2NvcmUgbWU=' }] }),
      );
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        error: { message: expect.stringContaining('evaluates no plain text') },
      });
    });

    it('needs keys with an owner and a life time', async () => {
      const forever = await upload(keys, false);
      const endless = await evaluate(bodyOf({ key_file_id: forever })).expect(400);
      expect(endless.body).toMatchObject({ error: { code: 'fhe_keys_lifetime_missing' } });
      const other = await upload(Buffer.from('no keys'));
      const malformed = await evaluate(bodyOf({ key_file_id: other })).expect(422);
      expect(malformed.body).toMatchObject({ error: { code: 'fhe_keys_malformed' } });
      const admin = await evaluate(bodyOf(), world.credentials.api_key).expect(404);
      expect(admin.body).toMatchObject({ error: { code: 'fhe_keys_not_found' } });
    });
  });
});
