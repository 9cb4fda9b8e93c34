import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { UNFUNDED_BODY_BYTES_MAX } from '#apps/gateway/bodies/receptions.js';
import { completionOf, json, statement } from '#areas/inference/rigs/upstream.fake.js';
import { Member } from './fleet.harness.js';
import { freePorts } from '../servers/server-process.js';
import { answering, chatRequest, LOG_SCHEME, startWorld, type World } from './quipu.harness.js';

const HELD = 50;
const ASKED = 200;
const OPENING_MICRO_USD = 10_000_000;

/** The opening credit, ten million micro-dollars, is the price of `HELD` requests held in full. */
const OUTPUT_PRICE_USD_PER_MTOK = 2_000;
const catalog = (baseUrl: string): string => `
rigs:
  - { name: scripted, kind: openai, base_url: ${baseUrl}, max_concurrency: 256 }
models:
  - { id: acme/scripted, upstream_id: s, owned_by: acme, rigs: [scripted], context: 8192,
      price: { input_usd_per_mtok: 0, output_usd_per_mtok: ${OUTPUT_PRICE_USD_PER_MTOK} } }
`;

const ask = ({ quipu, credentials }: World, body: object): Promise<Response> =>
  fetch(`${quipu.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${credentials.api_key}`,
    },
    body: JSON.stringify({ ...chatRequest(), ...body }),
  });

/** Of requests whose charge the credit covers 312 times, and their worst case 83 times. */
const AT_ONCE = 400;
const [TOKENS_HELD, TOKENS_USED] = [60, 16];
const CHARGE = TOKENS_USED * OUTPUT_PRICE_USD_PER_MTOK;
const using = (tokens: number) => json(200, completionOf('knots', statement(1, tokens)));

/** Sends the requests at once, with the default wait, and ends the world. */
const expectPaid = async (world: World): Promise<void> => {
  try {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => ask(world, { max_tokens: TOKENS_HELD })),
    );
    const paid = answers.filter(({ status }) => status === 200).length;
    expect(paid).toBeGreaterThanOrEqual(300);
    expect(paid).toBeLessThanOrEqual(Math.floor(OPENING_MICRO_USD / CHARGE));
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(AT_ONCE - paid);
    const overview = await fetch(`${world.quipu.url}/api/v1/billing/overview.php`, {
      headers: { authorization: `Bearer ${world.credentials.api_key}` },
    });
    expect(await overview.json()).toMatchObject({
      balance_usd: (OPENING_MICRO_USD - paid * CHARGE) / 1e6,
      held_usd: 0,
    });
  } finally {
    await world.close();
  }
};

describe('400 requests at once, of which the balance pays 312', () => {
  it('are answered as far as it pays, on the embedded log', async () => {
    await expectPaid(await startWorld([using(TOKENS_USED)], { catalogOf: catalog }));
  });

  it('are answered as far as it pays, on a served log', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'quipu-admission-'));
    const [grpcPort = 0, port = 0] = await freePorts(2);
    const log = new Member('event-store', 'event-store', port, {
      QUIPU_HOME: home,
      QUIPU_LOG_LEVEL: 'warn',
      QUIPU_GRPC_PORT: String(grpcPort),
      QUIPU_GRPC_INSECURE: '1',
    });
    try {
      await log.start();
      const environment = { QUIPU_EVENT_STORE: `${LOG_SCHEME}://127.0.0.1:${grpcPort}?tls=false` };
      const options = { catalogOf: catalog, environment, isHere: true };
      await expectPaid(await startWorld([using(TOKENS_USED)], options));
    } finally {
      await log.end('SIGKILL');
      await rm(home, { recursive: true, force: true });
    }
  });
});

describe('admission over HTTP', () => {
  it('admits exactly what the balance covers under concurrent requests', async () => {
    const tokens = 10_000_000 / HELD / OUTPUT_PRICE_USD_PER_MTOK;
    const world = await startWorld([json(200, completionOf('knots', statement(1, tokens)))], {
      catalogOf: catalog,
    });
    try {
      const answers = await Promise.all(
        Array.from({ length: ASKED }, () => ask(world, { max_tokens: tokens })),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(HELD);
      expect(statuses.filter((status) => status === 402)).toHaveLength(ASKED - HELD);
      const refused = await answers.find(({ status }) => status === 402)?.json();
      expect(refused).toMatchObject({
        error: { code: 'insufficient_balance', type: 'insufficient_quota', param: null },
      });
      const last = (await world.events()).findLast(({ type }) => type === 'HoldCaptured');
      expect(last?.data).toMatchObject({ availableMicroUsd: '0' });
    } finally {
      await world.close();
    }
  });

  it('rejects an account without money before it looks at the messages', async () => {
    const spent = 10_000_000 / OUTPUT_PRICE_USD_PER_MTOK;
    const world = await startWorld([json(200, completionOf('knots', statement(1, spent)))], {
      catalogOf: catalog,
    });
    try {
      const wrong = { messages: [{ role: 'wizard' }] };
      const large = { ...wrong, user: 'x'.repeat(UNFUNDED_BODY_BYTES_MAX) };
      expect((await ask(world, wrong)).status).toBe(400);
      expect((await ask(world, large)).status).toBe(400);
      expect((await ask(world, { max_tokens: spent })).status).toBe(200);
      const refused = await ask(world, wrong);
      expect(refused.status).toBe(402);
      expect(await refused.json()).toMatchObject({
        error: { code: 'insufficient_balance', metadata: { reason: 'insufficient_balance' } },
      });
      const unread = await ask(world, large);
      expect(unread.status).toBe(413);
      expect(await unread.json()).toMatchObject({
        error: { code: 'body_too_large', message: expect.stringContaining('without money') },
      });
    } finally {
      await world.close();
    }
  });

  it('limits an unspecified bound to the balance', async () => {
    const world = await startWorld([answering('knots')], {
      catalogOf: (baseUrl) => catalog(baseUrl).replace(String(OUTPUT_PRICE_USD_PER_MTOK), '100000'),
    });
    try {
      // A token costs 100,000 micro-dollars, so ten million cover a hundred of the 4,096.
      await world.openai.chat.completions.create(chatRequest());
      expect(world.upstream.received[0]?.body['max_tokens']).toBe(100);
    } finally {
      await world.close();
    }
  });

  it('charges at most the bound when a rig claims more, and records the difference', async () => {
    const world = await startWorld([json(200, completionOf('knots', statement(1, 500)))]);
    try {
      await world.openai.chat.completions.create(chatRequest({ max_tokens: 10 }));
      const captured = (await world.events()).find(({ type }) => type === 'HoldCaptured');
      expect(captured?.data).toMatchObject({
        amountMicroUsd: '21',
        excess: [{ meter: 'output_tokens', quantity: 490 }],
      });
    } finally {
      await world.close();
    }
  });
});
