import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { UNFUNDED_BODY_BYTES_MAX } from '#apps/gateway/bodies/receptions.js';
import {
  ask,
  catalogOf,
  expectPaid,
  OPENING_MICRO_USD,
  OUTPUT_PRICE_USD_PER_MTOK,
  TOKENS_USED,
  using,
} from './admission.fixture.js';
import { Member } from './fleet.harness.js';
import { freePorts } from '../servers/server-process.js';
import { answering, chatRequest, startWorld } from './quipu.harness.js';

describe('admission over HTTP', () => {
  it('answers as many of 400 requests at once as the balance pays, on a served log', async () => {
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
      const environment = { QUIPU_EVENT_STORE: `kurrentdb://127.0.0.1:${grpcPort}?tls=false` };
      const options = { catalogOf, environment };
      await expectPaid(await startWorld([using(TOKENS_USED)], options));
    } finally {
      await log.end('SIGKILL');
      await rm(home, { recursive: true, force: true });
    }
  });

  it('rejects an account without money before it looks at the messages', async () => {
    const spent = OPENING_MICRO_USD / OUTPUT_PRICE_USD_PER_MTOK;
    const world = await startWorld([using(spent)], { catalogOf });
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
      catalogOf: (baseUrl) =>
        catalogOf(baseUrl).replace(String(OUTPUT_PRICE_USD_PER_MTOK), '100000'),
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
    const world = await startWorld([using(500)]);
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
