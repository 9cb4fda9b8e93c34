import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RigError } from '#areas/inference/rigs/chat-backend.js';
import { vertexDialect } from '#areas/inference/rigs/dialects/gemini/gemini.dialect.js';
import { serviceAccount } from '#areas/inference/rigs/dialects/gemini/service-account.js';
import { type RigBackend } from '#areas/inference/rigs/embedding-backend.js';
import { createHttpRig } from '#areas/inference/rigs/http-rig.js';
import { never, requestOf } from '#areas/inference/rigs/upstream.fake.js';
import { type GeminiFake, replyOf, startVertex } from './gemini.fake.js';
import { startTokenEndpoint, type TokenEndpoint } from './token-endpoint.fake.js';

const MODEL = 'gemini-3.8-flash';
const PLACE = { project: 'acme-test', location: 'europe-west4' };
const LIFE_S = 3_600;

describe('a rig of Vertex AI', () => {
  let nowMs = Date.now();
  const clock = { now: () => nowMs };
  let tokens: TokenEndpoint;
  let fake: GeminiFake;
  const open: RigBackend[] = [];

  beforeAll(async () => {
    tokens = await startTokenEndpoint({ lifetimeS: LIFE_S, now: clock.now });
    fake = await startVertex({ [MODEL]: { needsSignatures: true } }, PLACE, tokens);
    const usage = { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 };
    fake.reply(replyOf([{ text: 'A quipu' }], { ...usage, trafficType: 'ON_DEMAND_FLEX' }));
  });

  afterAll(async () => {
    for (const rig of open) await rig.close();
    await fake.close();
    await tokens.close();
  });

  const rigOf = (account: object = {}): RigBackend => {
    const key = JSON.stringify({ ...tokens.account, ...account });
    const rig = createHttpRig({
      name: 'vertex',
      baseUrl: `${fake.url}/v1`,
      dialect: vertexDialect(PLACE),
      credentials: [serviceAccount('vertex', { key }, clock)],
      maxConcurrency: 8,
      clock,
    });
    open.push(rig);
    return rig;
  };
  const ask = (rig: RigBackend, body: object = {}) =>
    rig.complete(requestOf({ model: MODEL, ...body }), never);
  const failureOf = async (work: Promise<unknown>): Promise<RigError> => {
    const error: unknown = await work.then(
      () => null,
      (cause: unknown) => cause,
    );
    if (error instanceof RigError) return error;
    throw new Error(`expected a RigError, got ${String(error)}`);
  };

  it('answers, and reads the traffic as the tier', async () => {
    const { usage } = await ask(rigOf(), { service_tier: 'flex' });
    expect(usage).toMatchObject({ completionTokens: 3, serviceTier: 'flex' });
    expect(fake.received.at(-1)?.headers).toMatchObject({
      'x-vertex-ai-llm-shared-request-type': 'flex',
    });
  });

  it('has one token for many requests, and fetches one other before the end', async () => {
    const rig = rigOf();
    const before = tokens.received.length;
    await Promise.all(Array.from({ length: 8 }, () => ask(rig)));
    expect(tokens.received).toHaveLength(before + 1);
    const [first] = fake.received.slice(-1).map(({ headers }) => headers.authorization);

    // The old token is still valid, and serves while the new one is fetched.
    nowMs += (LIFE_S - 200) * 1_000;
    await Promise.all([ask(rig), ask(rig)]);
    expect(fake.received.at(-1)?.headers.authorization).toBe(first);
    expect(tokens.received).toHaveLength(before + 2);
    await expect(ask(rig)).resolves.toBeDefined();
    expect(fake.received.at(-1)?.headers.authorization).not.toBe(first);

    nowMs += 2 * LIFE_S * 1_000;
    await ask(rig);
    expect(tokens.received).toHaveLength(before + 3);
  });

  it('asks again with another token where one was revoked', async () => {
    const rig = rigOf();
    await ask(rig);
    const before = tokens.received.length;
    tokens.expireAll();
    await expect(ask(rig)).resolves.toMatchObject({ usage: { completionTokens: 3 } });
    expect(tokens.received).toHaveLength(before + 1);
  });

  it.each([
    ['another account', { client_email: 'other@acme.iam.gserviceaccount.com' }],
    ['another audience', { token_uri: 'https://127.0.0.1:1/token' }],
    ['no key', { private_key: 'none' }],
    ['another type', { type: 'authorized_user' }],
  ])('fails by the operator with %s, and tells nothing of the key', async (_, account) => {
    const { kind, message } = await failureOf(ask(rigOf(account)));
    expect(kind).toBe('failed');
    expect(message).toContain('rig vertex');
    expect(message).not.toContain('PRIVATE');
  });
});
