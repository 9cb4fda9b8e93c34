import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startUpstream, type Upstream } from '#areas/inference/rigs/upstream.fake.js';
import { asOperator, OPERATIONS_TOKEN } from '#apps/operations/operations.fixture.js';
import { KillableQuipu } from '../fault/killable-quipu.js';
import { freePorts } from '../servers/server-process.js';
import { answering, chatRequest, scriptedCatalog } from './quipu.harness.js';

/** The price of one answer: 9 tokens at 1 and 3 at 2 micro-dollars. */
const CHARGE_USD = 0.000_015;
const CREDIT_USD = 10;

interface Report {
  readonly projections: readonly { readonly name: string; readonly phase: string }[];
  readonly reactions: readonly { readonly name: string; readonly phase: string }[];
}

describe('a standalone with its projector in a thread', () => {
  let home: string;
  let upstream: Upstream;
  let quipu: KillableQuipu;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-thread-'));
    upstream = await startUpstream(...Array.from({ length: 20 }, () => answering('a', 'b', 'c')));
  });

  afterEach(async () => {
    await quipu.kill('SIGKILL');
    await upstream.close();
    await rm(home, { recursive: true });
  });

  const start = async (variables: NodeJS.ProcessEnv = {}): Promise<string> => {
    const [port = 0] = await freePorts(1);
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, scriptedCatalog(upstream.baseUrl));
    const thread = { QUIPU_PROJECTOR_THREAD: '1' };
    const all = { QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN, ...thread, ...variables };
    quipu = new KillableQuipu(home, port, catalog, all);
    await quipu.start();
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    return (JSON.parse(text) as { readonly api_key: string }).api_key;
  };

  const ask = async (key: string, way: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    const response = await fetch(`${quipu.url}${way}`, { ...sent, headers });
    return response.json();
  };

  const report = async (): Promise<Report> => {
    const response = await fetch(`${quipu.url}/health/ready`, asOperator);
    return (await response.json()) as Report;
  };

  const metrics = async (): Promise<string> => {
    const response = await fetch(`${quipu.url}/metrics`, asOperator);
    return response.text();
  };

  it('shows callers their own charges, reports the thread, and stops cleanly', async () => {
    const key = await start();
    for (let asked = 1; asked <= 20; asked += 1) {
      await ask(key, '/v1/chat/completions', chatRequest());
      const overview = await ask(key, '/api/v1/billing/overview.php');
      const balance = (overview as { readonly balance_usd: number }).balance_usd;
      expect(balance).toBeCloseTo(CREDIT_USD - asked * CHARGE_USD, 8);
    }
    const { projections, reactions } = await report();
    expect(new Set(projections.map(({ phase }) => phase))).toEqual(new Set(['live']));
    expect(reactions.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['saga.hold-expiry', 'jobs.dispatcher']),
    );
    const text = await metrics();
    expect(text).toContain('quipu_projector_losses 0');
    expect(text).toContain('quipu_reader_stopped{reader="saga.hold-expiry"} 0');
    expect(await quipu.kill('SIGTERM')).toBe(0);
  });

  it('runs its projections on the main thread where the settings say so', async () => {
    await start({ QUIPU_PROJECTOR_THREAD: '0' });
    expect(await metrics()).not.toContain('quipu_projector_losses');
    expect((await report()).reactions.map(({ name }) => name)).toContain('saga.hold-expiry');
  });
});
