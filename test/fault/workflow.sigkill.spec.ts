import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import {
  completionOf,
  json,
  startUpstream,
  statement,
  type Upstream,
} from '#areas/inference/rigs/upstream.fake.js';
import { MODEL, scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { freePorts } from '../servers/server-process.js';
import { KillableQuipu } from './killable-quipu.js';

const ITEMS = 24;
/** Effects after which the process is killed, each time with calls under way. */
const KILLED_AT = [7, 16] as const;
const ANSWER_MS = 40;

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly node_results: Readonly<Record<string, { readonly output: unknown }>>;
  readonly amount_micro_usd: string | null;
}

describe('SIGKILL of a workflow', () => {
  let home: string;
  let upstream: Upstream;
  let quipu: KillableQuipu;
  let server: Server;
  /** The effect of the server for each key: a repeat gets the first answer. */
  const effects = new Map<string, string>();
  let requests = 0;

  beforeAll(async () => {
    server = createServer((message, response) => {
      requests += 1;
      const key = String(message.headers['idempotency-key']);
      effects.set(key, effects.get(key) ?? `${message.url}`);
      const body = JSON.stringify({ did: effects.get(key) });
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      }, ANSWER_MS);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    upstream = await startUpstream(json(200, completionOf('Done.', statement(9, 3))));
    home = await mkdtemp(path.join(tmpdir(), 'quipu-workflow-sigkill-'));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, scriptedCatalog(upstream.baseUrl));
    const [port = 0] = await freePorts(1);
    const { port: listed } = server.address() as AddressInfo;
    quipu = new KillableQuipu(home, port, catalog, {
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

  const ask = async <Answer>(way: string, body?: object): Promise<Answer> => {
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    const { api_key: key } = JSON.parse(text) as Bootstrap;
    const response = await fetch(`${quipu.url}/api/v1/workflows${way}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Answer;
  };

  it(`acts once for each item and charges once after ${KILLED_AT.length} kills`, async () => {
    const { port } = server.address() as AddressInfo;
    const definition = {
      concurrency: 3,
      nodes: [
        {
          name: 'each',
          kind: 'map',
          parameters: {
            items: Array.from({ length: ITEMS }, (_, item) => item),
            tool: 'http',
            parameters: { url: `http://127.0.0.1:${port}/item/{{ item }}`, method: 'POST' },
          },
        },
        {
          name: 'sum',
          kind: 'chat',
          after: ['each'],
          parameters: { model: MODEL, prompt: 'Sum up: {{ nodes.each.output }}', max_tokens: 9 },
        },
      ],
    };
    await quipu.start();
    const { workflow_id } = await ask<{ workflow_id: number }>('', { name: 'kills', definition });
    const { run_id: id } = await ask<Run>('/run', { workflow_id, inputs: {}, async: true });
    for (const killedAt of KILLED_AT) {
      await eventually(() => effects.size >= killedAt);
      await quipu.kill('SIGKILL');
      expect(effects.size).toBeLessThan(ITEMS);
      await quipu.start();
    }
    await eventually(async () => (await ask<Run>(`/runs/${id}`)).amount_micro_usd !== null);

    const run = await ask<Run>(`/runs/${id}`);
    const done = Array.from({ length: ITEMS }, (_, item) => `/item/${item}`);
    expect(run).toMatchObject({ status: 'completed', node_results: { each: { code: null } } });
    const outputs = run.node_results['each']?.output as readonly { body: { did: string } }[];
    expect(outputs.map(({ body }) => body.did)).toEqual(done);
    // Calls that a kill cut short were repeated, under the same key: each item was done once.
    expect([...effects.values()].toSorted()).toEqual(done.toSorted());
    expect(requests).toBeGreaterThanOrEqual(ITEMS);
    const events = await quipu.events();
    const charges = events.filter(({ type }) => type === 'HoldCaptured');
    // 9 tokens at 1 and 3 at 2 micro-dollars.
    expect(charges).toMatchObject([{ data: { holdId: id, amountMicroUsd: '15' } }]);
    const ends = events.filter(({ type }) => type === 'WorkflowNodeEnded');
    expect(new Set(ends.map(({ data }) => (data as { node: string }).node)).size).toBe(ends.length);
    expect(await quipu.checkLedger()).toMatchObject({ balanced: true, faults: [] });
  });
});
