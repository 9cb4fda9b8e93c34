import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Gateway } from '#apps/processes/gateway.process.js';
import { loadQuipu } from './loaded-quipu.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';

/** More answers than the test asks for. */
const SCRIPTS = Array.from({ length: 400 }, () => answering('Knots', '.'));
const ASK_MS = 100;
const SLOWED_MS = 20_000;

describe('paid requests while no process reads the log', () => {
  let world: World;
  let gateway: Gateway;
  const gateways: Gateway[] = [];

  const start = async (subscriptions: 'elsewhere' | 'here'): Promise<Gateway> => {
    const { startGateway } = await loadQuipu();
    const environment = { ...world.environment, QUIPU_READ_LAG_SECONDS: '1' };
    const started = await startGateway(environment, { subscriptions });
    gateways.push(started);
    return started;
  };

  beforeAll(async () => {
    world = await startWorld(SCRIPTS, { isHere: true });
    await world.quipu.stop();
    gateway = await start('elsewhere');
  });

  afterAll(async () => {
    await Promise.all(gateways.map((one) => one.stop()));
    await world.close();
  });

  const ask = async (): Promise<Response> => {
    await sleep(ASK_MS);
    return fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.credentials.api_key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(chatRequest()),
    });
  };

  it('are refused in part while the readers are behind, and admitted after', async () => {
    expect((await ask()).status).toBe(200);
    let refused = await ask();
    await eventually(async () => (refused = await ask()).status === 503, SLOWED_MS);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(await refused.json()).toMatchObject({ error: { code: 'readers_behind' } });
    // Some are admitted all the time.
    await eventually(async () => (await ask()).status === 200, SLOWED_MS);
    await start('here');
    let admitted = 0;
    await eventually(async () => {
      admitted = (await ask()).status === 200 ? admitted + 1 : 0;
      return admitted === 20;
    });
  });
});
