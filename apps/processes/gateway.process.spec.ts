import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { readSettings } from '../composition/settings.js';
import { asOperator, OPERATIONS_TOKEN } from '../operations/operations.fixture.js';
import { type RuntimeReport } from '../operations/runtime.readiness.js';
import { type Gateway, startGateway } from './gateway.process.js';

/** No broker answers there. */
const NO_BROKER = 'kafka://127.0.0.1:1';

const UPSTREAM = `
rigs:
  - { name: upstream, kind: openai, base_url: 'http://127.0.0.1:1/v1', max_concurrency: 1 }
models:
  - { id: acme/upstream, upstream_id: m, owned_by: acme, rigs: [upstream], context: 100,
      max_output: 10, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } }
`;

const nano = path.resolve(import.meta.dirname, '../../models/nano.gguf');
const BY_WORKERS = `
rigs:
  - { name: workers, kind: embedded, max_concurrency: 1 }
models:
  - { id: acme/nano, upstream_id: nano, owned_by: acme, rigs: [workers], file: ${nano},
      context: 100, max_output: 10, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } }
`;

describe('a gateway of a fleet while Kafka is away', () => {
  let home: string;
  let gateway: Gateway | undefined;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-gateway-'));
  });

  afterEach(async () => {
    await gateway?.stop();
    await rm(home, { recursive: true });
  });

  const start = async (catalog: string): Promise<Gateway> => {
    const catalogFile = path.join(home, 'catalog.yaml');
    await writeFile(catalogFile, catalog);
    const settings = readSettings({
      PORT: '0',
      QUIPU_HOME: home,
      QUIPU_CATALOG: catalogFile,
      QUIPU_BUS: NO_BROKER,
      QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN,
      QUIPU_DRAIN_SECONDS: '1',
    });
    const options = { subscriptions: 'elsewhere' } as const;
    return (gateway = await startGateway(settings, pino({ level: 'silent' }), options));
  };

  const ready = async ({ url }: Gateway) => {
    const response = await fetch(`${url}/health/ready`, asOperator);
    return { status: response.status, report: (await response.json()) as RuntimeReport };
  };

  it('listens, is live, and says what its models miss', async () => {
    const started = await start(BY_WORKERS);
    const live = await fetch(`${started.url}/health/live`);
    expect(live.status).toBe(200);
    const { status, report } = await ready(started);
    expect(status).toBe(503);
    expect(report.reasons).toEqual(['bus_unavailable', 'worker_replies_unavailable']);
    expect(report.details).toEqual([
      expect.stringMatching(/^the bus cannot be reached: /),
      expect.stringMatching(/^replies of workers are not received: /),
    ]);
  });

  it('is ready when no model of its catalog needs Kafka', async () => {
    const { status, report } = await ready(await start(UPSTREAM));
    expect(report.reasons).toEqual([]);
    expect(status).toBe(200);
    expect(report).toMatchObject({ bus: { reachable: false }, tasks: { ready: false } });
  });
});
