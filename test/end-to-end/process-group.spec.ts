import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Script, startUpstream, type Upstream } from '#areas/inference/rigs/upstream.fake.js';
import { asOperator, OPERATIONS_TOKEN } from '#apps/operations/operations.fixture.js';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { KillableQuipu } from '../fault/killable-quipu.js';
import { freePorts } from '../servers/server-process.js';
import { answering, chatRequest, eventually, MODEL } from './quipu.harness.js';

const GATEWAYS = 2;
/** Requests a minute of one key; each gateway alone would allow as many. */
const KEY_RATE = 60;
/** The highest cost of one chat: 100 tokens at a cent, of 10 USD. */
const ADMITTED = 10;
const ASKED = 40;

const catalogOf = (baseUrl: string): string => `
rigs:
  - { name: scripted, kind: openai, base_url: ${baseUrl}, max_concurrency: 64 }
models:
  - { id: ${MODEL}, upstream_id: scripted-1, owned_by: acme, rigs: [scripted], context: 8192,
      max_output: 100, price: { input_usd_per_mtok: 0, output_usd_per_mtok: 10000 } }
`;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A connection for each request: the leader hands connections to the gateways in turn. */
const ask = (url: string, key: string | null, body?: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(key !== null && { authorization: `Bearer ${key}` }),
    };
    const agent = new Agent({ keepAlive: false });
    const sent = request(url, { method: body ? 'POST' : 'GET', headers, agent }, (response) => {
      void Array.fromAsync(response as AsyncIterable<Buffer>).then((chunks) => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, body: text && (JSON.parse(text) as unknown) });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });

describe('a standalone of several processes', () => {
  let home: string;
  let upstream: Upstream;
  let quipu: KillableQuipu;
  let operations: string;
  let key: string;
  /** Lets the answers of the upstream go. */
  let release: () => void = () => undefined;

  const report = async () => {
    const response = await fetch(`${operations}/health/ready`, asOperator);
    return (await response.json()) as {
      readonly status: string;
      readonly gateways: { readonly listening: number };
    };
  };

  const isWhole = async (): Promise<boolean> => {
    const { status, gateways } = await report();
    return status === 'ready' && gateways.listening === GATEWAYS;
  };

  const gatewayPids = async (): Promise<readonly number[]> => {
    const pid = quipu.pid;
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.trim().split(' ').filter(Boolean).map(Number);
  };

  const balance = async (): Promise<unknown> => {
    const { body } = await ask(`${quipu.url}/api/v1/billing/overview.php`, key);
    return (body as { readonly balance_usd: number }).balance_usd;
  };

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-group-'));
    const gate = new Promise<void>((resolve) => (release = resolve));
    const held: Script = (response, received) => {
      void gate.then(() => answering('a')(response, received));
    };
    upstream = await startUpstream(...Array.from({ length: ASKED }, () => held));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, catalogOf(upstream.baseUrl));
    const [port = 0, operationsPort = 0] = await freePorts(2);
    operations = `http://127.0.0.1:${operationsPort}`;
    quipu = new KillableQuipu(home, port, catalog, {
      QUIPU_PROCESSES: String(GATEWAYS),
      QUIPU_OPERATIONS_PORT: String(operationsPort),
      QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN,
      QUIPU_KEY_REQUESTS_PER_MINUTE: String(KEY_RATE),
    });
    await quipu.start();
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    ({ api_key: key } = JSON.parse(text) as Bootstrap);
    await eventually(isWhole);
  });

  afterAll(async () => {
    await quipu.kill('SIGKILL');
    await upstream.close();
    await rm(home, { recursive: true });
  });

  it('admits exactly what the balance pays for, over all processes', async () => {
    const url = `${quipu.url}/v1/chat/completions`;
    const body = chatRequest({ max_tokens: 100 });
    const asked = Array.from({ length: ASKED }, () => ask(url, key, body));
    let refused = 0;
    for (const one of asked) void one.then(({ status }) => (refused += status === 402 ? 1 : 0));
    // No answer ends before each request is decided: an end would give funds back.
    await eventually(() => refused + upstream.received.length === ASKED);
    release();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBe(ADMITTED);
    expect(statuses.filter((status) => status === 402).length).toBe(ASKED - ADMITTED);
    expect(await balance()).toBeCloseTo(10 - ADMITTED * 0.01, 6);
  });

  it('shows callers their own charges, whichever process answers', async () => {
    const before = (await balance()) as number;
    for (let chats = 1; chats <= 4; chats += 1) {
      const sent = await ask(`${quipu.url}/v1/chat/completions`, key, chatRequest());
      expect(sent.status).toBe(200);
      expect(await balance()).toBeCloseTo(before - chats * 0.01, 6);
    }
  });

  it('counts the requests of a key over all processes', async () => {
    let answered = 0;
    for (let asked = 0; asked < 2 * KEY_RATE; asked += 1) {
      const { status } = await ask(`${quipu.url}/v1/models`, key);
      if (status === 200) answered += 1;
      else expect(status).toBe(429);
    }
    // The tests above have used most of it; what a tenth of a second lets through comes on top.
    expect(answered).toBeLessThan(KEY_RATE);
  });

  it('counts failed attempts to log in over all processes', async () => {
    const body = { username: 'demo', password: 'wrong' };
    const login = () => ask(`${quipu.url}/api/v1/auth/login`, null, body);
    const statuses: number[] = [];
    for (let attempts = 0; attempts < 7; attempts += 1) statuses.push((await login()).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  it('shows the metrics of all processes in each of them', async () => {
    const response = await fetch(`${quipu.url}/metrics`, asOperator);
    const text = await response.text();
    for (const process of ['leader', 'gateway-1', 'gateway-2']) {
      expect(text).toContain(`process_cpu_seconds_total{process="${process}"}`);
    }
    expect(text).toMatch(/quipu_reader_stopped\{reader="saga.hold-expiry",process="leader"\} 0/);
  });

  it('serves while a process is replaced, reloads, and stops as a whole', async () => {
    const [first = 0] = await gatewayPids();
    // It ends with the call to reload unanswered.
    process.kill(first, 'SIGSTOP');
    process.kill(quipu.pid, 'SIGHUP');
    process.kill(first, 'SIGKILL');
    await eventually(async () => !(await isWhole()));
    expect((await fetch(`${quipu.url}/health/live`)).status).toBe(200);
    await eventually(isWhole);
    process.kill(quipu.pid, 'SIGHUP');
    const pids = await gatewayPids();
    expect(pids).toHaveLength(GATEWAYS);
    expect(pids).not.toContain(first);
    expect(await quipu.kill('SIGTERM')).toBe(0);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
