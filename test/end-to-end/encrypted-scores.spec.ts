import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import request from 'supertest';
import { FheClient } from '../../packages/fhe-client/index.mjs';
import { type CreatedUser } from './command-line.fixture.js';
import { type World } from './quipu.harness.js';
import { chargesOf, MODEL, openRoom } from './sealed-rooms.fixture.js';

/** Of a file of keys; the shortest that files may have. */
const LIFETIME = { anchor: 'created_at', seconds: 3_600 } as const;

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

describe('a chat of ciphertexts', () => {
  let world: World;
  let ada: CreatedUser;
  let room: string;

  const charges = (purpose: string) => chargesOf(world, purpose);

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
    ({ world, ada, room } = await openRoom());
    tapped = await tap.listen(world.quipu.url);
    client = await FheClient.create('ckks-8192');
    keys = client.evaluationKeys(4);
    keyFileId = await upload(keys);
  });

  afterAll(async () => {
    client.close();
    tap.close();
    await world.close();
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
