import { type ChildProcess, spawn } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { privateKeyOf, rawPublicKeyOf } from '#platform/secrets/ed25519.js';
import { CommandLine } from './command-line.fixture.js';
import { freePorts } from '../servers/server-process.js';
import { eventually, scriptedCatalog, startWorld, type World } from './quipu.harness.js';

const MAIN = path.resolve('bundle/apps/processes/dtn-node.main.js');
const DTN = '/api/v1/dtn';
const NODE_SEED = Buffer.alloc(32, 7);
const NODE_KEY = rawPublicKeyOf(createPublicKey(privateKeyOf(NODE_SEED))).toString('base64url');
const MS_PER_HOUR = 3_600_000;
const DAY_SEC = 86_400;

type Body = Readonly<Record<string, unknown>>;

const inHours = (hours: number): string => new Date(Date.now() + hours * MS_PER_HOUR).toISOString();

interface Planned {
  readonly from: string;
  readonly to: string;
}

const OPEN = { starts_at: inHours(-1), ends_at: inHours(20), bits_per_second: 1_000_000 };
const openBetween = (...nodes: readonly string[]): readonly Planned[] =>
  nodes.slice(1).flatMap((to, at) => {
    const from = nodes[at] ?? '';
    return [
      { from, to, ...OPEN },
      { from: to, to: from, ...OPEN },
    ];
  });

/** A node in a process of its own. */
class NodeProcess {
  #child: ChildProcess | undefined;

  constructor(
    private readonly home: string,
    private readonly variables: NodeJS.ProcessEnv,
  ) {}

  async start(plan: readonly Planned[]): Promise<void> {
    const file = path.join(this.home, 'plan.json');
    await writeFile(file, JSON.stringify(plan));
    const child = spawn(process.execPath, [MAIN], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        QUIPU_HOME: this.home,
        QUIPU_DTN_PLAN: file,
        QUIPU_LOG_LEVEL: 'fatal',
        ...this.variables,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    const [greeting] = (await once(child.stdout, 'data')) as [Buffer];
    expect(greeting.toString()).toContain('is ready and takes links at port');
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}

describe('a gateway and nodes on their own', () => {
  let world: World;
  const cli = new CommandLine(() => world);
  let satellite: NodeProcess;
  let moon: NodeProcess;
  const homes: string[] = [];

  const homeOf = async (name: string): Promise<string> => {
    const home = await mkdtemp(path.join(tmpdir(), `quipu-${name}-`));
    homes.push(home);
    await writeFile(path.join(home, 'node.key'), NODE_SEED);
    return home;
  };

  const nodeOf = async (name: string, port: number, peers: string, grantKey: string) => {
    return new NodeProcess(await homeOf(name), {
      QUIPU_DTN_GRANT_KEY: grantKey,
      QUIPU_DTN_NODE: `dtn://${name}/`,
      QUIPU_DTN_PORT: String(port),
      QUIPU_DTN_PEERS: peers,
    });
  };

  beforeAll(async () => {
    const [ground = 0, above = 0, far = 0] = await freePorts(3);
    const gatewayAt = `dtn://quipu/=127.0.0.1:${ground}`;
    const satelliteAt = `dtn://sat/=127.0.0.1:${above}`;
    world = await startWorld([], {
      environment: {
        QUIPU_DTN_PORT: String(ground),
        QUIPU_DTN_PEERS: satelliteAt,
        QUIPU_DTN_NODE_KEYS: `dtn://sat/=${NODE_KEY}`,
      },
      catalogOf: (baseUrl) => `${scriptedCatalog(baseUrl)}
meters:
  - { meter: custody_bundles, usd: 0.01, per: 1000 }
  - { meter: custody_byte_hours, usd: 0.10, per: 1000000000000 }
  - { meter: remote_prompt_tokens, usd: 1, per: 1000 }
  - { meter: remote_completion_tokens, usd: 2, per: 1000 }
`,
    });
    const { public_key: grantKey } = await ask('get', 'grant-key');
    const peers = `${gatewayAt},dtn://moon/=127.0.0.1:${far}`;
    satellite = await nodeOf('sat', above, peers, String(grantKey));
    moon = await nodeOf('moon', far, satelliteAt, String(grantKey));
  });

  afterAll(async () => {
    await Promise.all([satellite.kill('SIGTERM'), moon.kill('SIGTERM'), world.close()]);
    for (const home of homes) await rm(home, { recursive: true, force: true });
  });

  const ask = async (method: 'get' | 'post', route: string, sent: object = {}): Promise<Body> => {
    const { body } = await request(world.quipu.url)
      [method](`${DTN}/${route}`)
      .set({ authorization: `Bearer ${world.credentials.api_key}` })
      .send(method === 'post' ? sent : undefined)
      .expect(200);
    return body as Body;
  };

  it('answer a paid chat while they are apart, and the receipt settles its hold once', async () => {
    // The satellite hears the gateway, and cannot speak to it yet.
    const [up] = openBetween('dtn://quipu/', 'dtn://sat/');
    await satellite.start(up ? [up] : []);
    await ask('post', 'contacts', { from: 'dtn://quipu/', to: 'dtn://sat/', ...OPEN });
    const { request } = (await ask('post', 'requests', {
      ...{ node: 'dtn://sat/', max_tokens: 8, lifetime_seconds: 3_600 },
      messages: [{ role: 'user', content: 'Tell me of knots.' }],
    })) as { request: Body };
    const id = String(request['request_id']);
    const find = async () => (await ask('get', `requests/${id}`))['request'] as Body;
    const listed = async () => {
      const found = await cli.result('dtn', 'requests', '--user', world.credentials.username);
      return (found as { readonly requests: readonly Body[] }).requests;
    };
    expect(request).toMatchObject({ status: 'travelling', content: null, node: 'dtn://sat/' });
    const bundle = `bundles/${String(request['bundle_id'])}`;
    const stateOf = async () => ((await ask('get', bundle))['bundle'] as Body)['status'];
    await eventually(async () => (await stateOf()) === 'forwarded');
    expect(await find()).toMatchObject({ status: 'travelling' });
    expect(await listed()).toMatchObject([{ request_id: id, status: 'travelling' }]);
    await satellite.kill('SIGKILL');
    await satellite.start(openBetween('dtn://quipu/', 'dtn://sat/'));
    await eventually(async () => (await find())['status'] === 'completed');
    const answer = await find();
    expect(answer).toMatchObject({ late_receipt: false, content: expect.any(String) });
    const [prompt, completion] = [answer['prompt_tokens'], answer['completion_tokens']].map(Number);
    expect(completion).toBeGreaterThan(0);
    expect(completion).toBeLessThanOrEqual(8);
    expect(await listed()).toMatchObject([
      { request_id: id, status: 'completed', completion_tokens: completion, late_receipt: false },
    ]);
    const chargesOf = async () =>
      (await world.events()).filter(
        ({ type, data }) =>
          type === 'HoldCaptured' && ((data as Body)['evidence'] as Body)['requestId'] === id,
      );
    await eventually(async () => (await chargesOf()).length > 0);
    expect(await chargesOf()).toMatchObject([
      {
        data: {
          purpose: 'remote_chat',
          lines: [
            { meter: 'remote_prompt_tokens', quantity: prompt },
            { meter: 'remote_completion_tokens', quantity: completion },
          ],
        },
      },
    ]);
    const events = JSON.stringify((await world.events()).map(({ data }) => data));
    expect(events).not.toContain('Tell me of knots');
  });

  it('carry a bundle over a node that is killed, and its reports back', async () => {
    const later = { starts_at: inHours(1), ends_at: inHours(2), bits_per_second: 1_000_000 };
    await ask('post', 'contacts', { from: 'dtn://sat/', to: 'dtn://moon/', ...later });
    const { bundle_id: id } = await ask('post', 'bundle.php', {
      ...{ source_eid: 'dtn://quipu/out', destination_eid: 'dtn://moon/in' },
      ...{ payload_hex: '68656c6c6f', lifetime_seconds: DAY_SEC },
    });
    const find = async () => (await ask('get', `bundles/${String(id)}`))['bundle'] as Body;
    await eventually(async () => (await find())['status'] === 'custody_transferred');
    // The satellite has the only copy now, and the moon has not risen.
    await satellite.kill('SIGKILL');
    const plan = openBetween('dtn://quipu/', 'dtn://sat/', 'dtn://moon/');
    await Promise.all([moon.start(plan), satellite.start(plan)]);
    await eventually(async () => (await find())['status'] === 'delivered');
    const { history } = (await find()) as { history: { event: string }[] };
    const names = history.map(({ event }) => event);
    expect(names.filter((name) => name !== 'forwarded')).toEqual([
      'accepted',
      'custody_transferred',
      'delivered',
    ]);
    const { text } = await request(world.quipu.url)
      .get(`${DTN}/bundles/${String(id)}/events`)
      .set({ authorization: `Bearer ${world.credentials.api_key}` })
      .expect(200);
    expect([...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)).toEqual(names);
    const chargeOf = async () =>
      (await world.events()).filter(
        ({ type, data }) =>
          type === 'HoldCaptured' && ((data as Body)['evidence'] as Body)['bundleId'] === id,
      );
    await eventually(async () => (await chargeOf()).length > 0);
    expect(await chargeOf()).toMatchObject([
      { data: { evidence: { end: expect.stringMatching(/^(custody_transferred|delivered)$/) } } },
    ]);
  });

  it('are asked by name', async () => {
    const { body } = await request(world.quipu.url)
      .post(`${DTN}/requests`)
      .set({ authorization: `Bearer ${world.credentials.api_key}` })
      .send({ node: 'dtn://moon/', messages: [{ role: 'user', content: 'a' }] })
      .expect(404);
    expect(body).toMatchObject({ code: 'remote_node_unknown' });
  });
});
