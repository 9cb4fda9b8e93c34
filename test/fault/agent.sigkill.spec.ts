import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { type Script, startUpstream, type Upstream } from '#areas/inference/rigs/upstream.fake.js';
import {
  ANSWER_TOKENS,
  calling,
  PROMPT_TOKENS,
  saying,
  type Session,
} from '../end-to-end/agents.fixture.js';
import { MODEL, scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { freePorts } from '../servers/server-process.js';
import { KillableQuipu } from './killable-quipu.js';

const CALLS = 6;
/** Effects after which the process is killed: while a call is under way, and while it plans. */
const KILLED_AT = [2, 4] as const;
const ANSWER_MS = 150;

interface Shown extends Session {
  readonly amount_micro_usd: string | null;
}

describe('SIGKILL of an agent', () => {
  let home: string;
  let upstream: Upstream;
  let quipu: KillableQuipu;
  let server: Server;
  /** The effect of the server for each key: a repeat gets the first answer. */
  const effects = new Map<string, string>();

  beforeAll(async () => {
    server = createServer((message, response) => {
      const key = String(message.headers['idempotency-key']);
      effects.set(key, effects.get(key) ?? `${message.url}`);
      setTimeout(() => response.end(effects.get(key)), ANSWER_MS);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port: listed } = server.address() as AddressInfo;
    upstream = await startUpstream(plannerOf(`http://127.0.0.1:${listed}`));
    home = await mkdtemp(path.join(tmpdir(), 'quipu-agent-sigkill-'));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, scriptedCatalog(upstream.baseUrl));
    const [port = 0] = await freePorts(1);
    quipu = new KillableQuipu(home, port, catalog, {
      QUIPU_INSTANCE: 'victim',
      QUIPU_JOB_SILENCE_SECONDS: '4',
      QUIPU_HTTP_TOOL_HOSTS: `private:127.0.0.1:${listed}`,
    });
  });

  afterAll(async () => {
    await quipu.kill('SIGKILL');
    await upstream.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(home, { recursive: true, force: true });
  });

  const ask = async (way: string, body?: object): Promise<Shown> => {
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    const { api_key: key } = JSON.parse(text) as Bootstrap;
    const response = await fetch(`${quipu.url}/api/v1/agents/${way}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Shown;
  };

  it(`calls each tool once and is charged once after ${KILLED_AT.length} kills`, async () => {
    await quipu.start();
    const order = { planner_model: MODEL, tools: ['http'], max_steps: CALLS + 2, async: true };
    const goal = `Post ${CALLS} items.`;
    const { session_id: id } = await ask('orchestrate', { ...order, goal });
    for (const killedAt of KILLED_AT) {
      await eventually(() => effects.size >= killedAt);
      await quipu.kill('SIGKILL');
      expect(effects.size).toBeLessThan(CALLS);
      await quipu.start();
    }
    const charges = async () =>
      (await quipu.events()).filter(({ type }) => type === 'HoldCaptured');
    await eventually(async () => (await charges()).length > 0);

    const session = await ask(`sessions/${id}`);
    expect(session).toMatchObject({
      status: 'completed',
      total_steps: CALLS + 1,
      tools_executed: Array.from({ length: CALLS }, () => 'http'),
      final_output: 'All items are posted.',
      tokens_consumed: (CALLS + 1) * (PROMPT_TOKENS + ANSWER_TOKENS),
    });
    expect([...effects.values()]).toEqual(Array.from({ length: CALLS }, (_, n) => `/item/${n}`));
    // 7 x 100 tokens at 1 and 7 x 10 at 2 micro-dollars.
    expect(await charges()).toMatchObject([{ data: { jobId: id, amountMicroUsd: '840' } }]);
    expect(await quipu.checkLedger()).toMatchObject({ balanced: true, faults: [] });
  });
});

/** Posts one item after the other, by the results that the conversation shows. */
const plannerOf =
  (address: string): Script =>
  (response, received) => {
    const messages = received.body['messages'] as readonly { readonly role: string }[];
    const done = messages.filter(({ role }) => role === 'tool').length;
    const script =
      done === CALLS
        ? saying('All items are posted.')
        : calling('http', { url: `${address}/item/${done}`, method: 'POST' });
    script(response, received);
  };
