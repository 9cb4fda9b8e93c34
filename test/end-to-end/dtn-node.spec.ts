import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { freePorts } from '../servers/server-process.js';
import { eventually, scriptedCatalog, startWorld, type World } from './quipu.harness.js';

const MAIN = path.resolve('bundle/apps/processes/dtn-node.main.js');
const DTN = '/api/v1/dtn';
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
  let satellite: NodeProcess;
  let moon: NodeProcess;
  const homes: string[] = [];

  const nodeOf = async (name: string, port: number, peers: string): Promise<NodeProcess> => {
    const home = await mkdtemp(path.join(tmpdir(), `quipu-${name}-`));
    homes.push(home);
    return new NodeProcess(home, {
      QUIPU_DTN_NODE: `dtn://${name}/`,
      QUIPU_DTN_PORT: String(port),
      QUIPU_DTN_PEERS: peers,
    });
  };

  beforeAll(async () => {
    const [ground = 0, above = 0, far = 0] = await freePorts(3);
    const gatewayAt = `dtn://quipu/=127.0.0.1:${ground}`;
    const satelliteAt = `dtn://sat/=127.0.0.1:${above}`;
    satellite = await nodeOf('sat', above, `${gatewayAt},dtn://moon/=127.0.0.1:${far}`);
    moon = await nodeOf('moon', far, satelliteAt);
    world = await startWorld([], {
      environment: { QUIPU_DTN_PORT: String(ground), QUIPU_DTN_PEERS: satelliteAt },
      catalogOf: (baseUrl) => `${scriptedCatalog(baseUrl)}
meters:
  - { meter: custody_bundles, usd: 0.01, per: 1000 }
  - { meter: custody_byte_hours, usd: 0.10, per: 1000000000000 }
`,
    });
  });

  afterAll(async () => {
    await satellite.kill('SIGTERM');
    await moon.kill('SIGTERM');
    await world.close();
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

  it('carry a bundle over a node that is killed, and its reports back', async () => {
    await satellite.start(openBetween('dtn://quipu/', 'dtn://sat/'));
    await ask('post', 'contacts', { from: 'dtn://quipu/', to: 'dtn://sat/', ...OPEN });
    const later = { starts_at: inHours(1), ends_at: inHours(2), bits_per_second: 1_000_000 };
    await ask('post', 'contacts', { from: 'dtn://sat/', to: 'dtn://moon/', ...later });
    const { bundle_id: id } = await ask('post', 'bundle.php', {
      ...{ source_eid: 'dtn://quipu/out', destination_eid: 'dtn://moon/in' },
      ...{ payload_hex: '68656c6c6f', lifetime_seconds: DAY_SEC },
    });
    const find = async () => (await ask('get', `bundles/${String(id)}`))['bundle'] as Body;
    await eventually(async () => (await find())['status'] === 'custody_transferred', 20_000);
    // The satellite has the only copy now, and the moon has not risen.
    await satellite.kill('SIGKILL');
    const plan = openBetween('dtn://quipu/', 'dtn://sat/', 'dtn://moon/');
    await moon.start(plan);
    await satellite.start(plan);
    await eventually(async () => (await find())['status'] === 'delivered', 20_000);
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
  }, 60_000);
});
