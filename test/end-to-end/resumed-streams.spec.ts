import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { readSettings } from '#apps/composition/settings.js';
import { type Gateway, startGateway } from '#apps/processes/gateway.process.js';
import {
  chunksOf,
  DONE,
  eventOf,
  type Script,
  statement,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { answering, chatRequest, eventsOf, eventually, startWorld, type World } from './quipu.harness.js';

const WORDS = ['Knots', ' keep', ' accounts', '.'];
const CHAT = '/v1/chat/completions';
console.log(typeof readFile);

describe('a resumable stream', () => {
  let world: World;
  let other: Gateway;

  beforeAll(async () => {
    world = await startWorld([answering(...WORDS)], {
      environment: { QUIPU_RESUME_GRACE_SECONDS: '2' },
    });
    const settings = readSettings({ PORT: '0', ...world.environment });
    other = await startGateway(settings, pino({ level: 'silent' }), { subscriptions: 'elsewhere' });
  });

  afterAll(async () => {
    await other.stop();
    await world.close();
  });

  it('starts', async () => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${world.credentials.api_key}` };
    const first = await fetch(`${world.quipu.url}${CHAT}`, { method: 'POST', headers: { ...headers, 'x-quipu-resumable': 'true' }, body: JSON.stringify(chatRequest({ stream: true })) });
    console.log(first.status, Object.fromEntries(first.headers));
    const text = await first.text();
    console.log(text);
    const id = first.headers.get('x-request-id');
    const again = await fetch(`${other.url}/v1/streams/${id}`, { headers: { ...headers, 'last-event-id': `${id}-2` } });
    console.log(again.status, Object.fromEntries(again.headers), await again.text());
  });
});
