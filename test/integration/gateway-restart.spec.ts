import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { type AppName, Member } from '../end-to-end/fleet.harness.js';
import { startEventStoreNode } from '../servers/event-store/event-store.server.js';
import { SuiteBroker } from '../servers/kafka/suite-broker.js';
import { CLIENT } from './kafka.fixture.js';
import { freePorts } from '../servers/server-process.js';
import { type TestServer } from '../servers/test-server.js';

/** A broker keeps the place of a dead member of a group this long. */
const SESSION_MS = 180_000;
const MODEL = 'quipu/nano';

let broker: SuiteBroker;

beforeAll(async () => {
  broker = await SuiteBroker.start();
});

afterAll(() => broker.stop());

describe.each([CLIENT])('a gateway on Kafka, by %s', (client) => {
  const members: Member[] = [];
  let home: string;
  let node: TestServer;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-restart-'));
    node = await startEventStoreNode();
  });

  afterEach(async () => {
    await Promise.all(members.splice(0).map((one) => one.end('SIGKILL')));
    await node.stop();
    await rm(home, { recursive: true, force: true });
  });

  const start = async (app: AppName, shared: NodeJS.ProcessEnv): Promise<Member> => {
    const [port = 0] = await freePorts(1);
    const name = `${app}-${client}`;
    const member = new Member(name, app, port, { ...shared, QUIPU_INSTANCE: name });
    members.push(member);
    return member.start();
  };

  const answer = async ({ url }: Member): Promise<number> => {
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    const { api_key: key } = JSON.parse(text) as Bootstrap;
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello!' }] }),
    });
    await response.text();
    return response.status;
  };

  it('is ready and hears workers after a kill, without waiting for its dead member', async () => {
    const bus = broker.newUrl(client).replace(/session_ms=\d+/, `session_ms=${SESSION_MS}`);
    const shared = { QUIPU_HOME: home, QUIPU_EVENT_STORE: node.url, QUIPU_BUS: bus };
    await start('projector', shared);
    const gateway = await start('gateway', shared);
    await start('worker', shared);
    expect(await answer(gateway)).toBe(200);
    await gateway.end('SIGKILL');
    const startedMs = performance.now();
    await gateway.start();
    expect(performance.now() - startedMs).toBeLessThan(SESSION_MS / 2);
    expect(await answer(gateway)).toBe(200);
  });
});
