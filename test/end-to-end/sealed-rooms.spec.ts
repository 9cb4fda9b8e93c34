import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type OpenAI from 'openai';
import request from 'supertest';
import { openReply, UnsealableError } from '#engines/enclave/hpke.js';
import { CommandLine, type CreatedUser } from './command-line.fixture.js';
import { type World } from './quipu.harness.js';
import {
  ACTIONS,
  type Attestation,
  chargesOf,
  MODEL,
  openRoom,
  ROOMS,
  sealPrompt,
  sealRows,
} from './sealed-rooms.fixture.js';

const NONCE = 'nonce-of-the-contributor';

describe('sealed work in clean rooms', () => {
  let world: World;
  let ada: CreatedUser;
  let eve: CreatedUser;
  let room: string;
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    ({ world, ada, eve, room } = await openRoom());
  });

  afterAll(() => world.close());

  const post = (url: string, body: object, key = world.credentials.api_key) =>
    request(world.quipu.url).post(url).set('authorization', `Bearer ${key}`).send(body);

  const attest = async (fields: object = {}, key = ada.api_key): Promise<Attestation> => {
    const body = { action: 'attest_enclave', cleanroom_uuid: room, ...fields };
    return (await post(ACTIONS, body, key).expect(200)).body as Attestation;
  };

  const chat = (body: object, key = ada.api_key) => post('/v1/chat/completions', body, key);

  const charges = (purpose: string) => chargesOf(world, purpose);

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
      const signer = path.join(world.home, 'signer.pem');
      const published = await request(world.quipu.url).get('/attestation/key').expect(200);
      await writeFile(signer, published.text);
      expect(await quipu.result('attest', 'verify', file, '--signer', signer)).toMatchObject({
        signer_compared: true,
      });
      expect(await quipu.result('attest', 'key')).toMatchObject({
        public_key_pem: published.text,
        sha256: answer.receipt_signer_sha256,
      });
      const other = generateKeyPairSync('ed25519').publicKey;
      await writeFile(signer, other.export({ format: 'pem', type: 'spki' }));
      const forged = await quipu.run('attest', 'verify', file, '--signer', signer);
      expect(forged.exitCode).toBe(1);
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
      { version = 1, key = ada, fields = {}, sealedFor = String(ada.user_id) } = {},
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
});
