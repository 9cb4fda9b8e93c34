import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { pino } from 'pino';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { readSettings, type Settings } from '#apps/composition/settings.js';
import { type Gateway, startGateway } from '#apps/processes/gateway.process.js';
import { type Projector, startProjector } from '#apps/processes/projector.process.js';
import { startWorkerProcess } from '#apps/processes/worker.process.js';
import { type Worker } from '#apps/worker/worker.application.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { BUS } from '#platform/runtime/tokens.js';
import { plantedAreaSuite } from '../end-to-end/planted-area.suite.js';
import { areas } from '../planted/areas.js';
import { startEventStoreNode } from '../servers/event-store/event-store.server.js';
import { SuiteBroker } from '../servers/kafka/suite-broker.js';
import { CLIENT } from './kafka.fixture.js';
import { SuiteDatabases } from '../servers/mongodb/suite-databases.js';
import { type TestServer } from '../servers/test-server.js';
import { OPERATIONS_TOKEN } from '#apps/operations/operations.fixture.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const HTTP_FOLDERS = [path.join(ROOT, 'apps/gateway'), path.join(ROOT, 'test/planted/gateway')];

describe.each([CLIENT])(
  'an area that is registered by one line, on the production engines by %s',
  (client) => {
    let home: string;
    let node: TestServer;
    let broker: SuiteBroker;
    let databases: SuiteDatabases;
    let database: string;
    let gateway: Gateway;
    let projector: Projector;
    let worker: Worker;
    let credentials: Bootstrap;

    const settings = (instance: string, bus: string): Settings =>
      readSettings(
        {
          QUIPU_HOME: home,
          QUIPU_INSTANCE: instance,
          QUIPU_CATALOG: path.join(ROOT, 'catalog.yaml'),
          QUIPU_LOG_LEVEL: 'silent',
          QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN,
          QUIPU_EVENT_STORE: node.url,
          QUIPU_READ_STORE: database,
          QUIPU_BUS: bus,
          QUIPU_WORKER_ENGINES: 'counting',
          QUIPU_LEASE_TTL_MS: '3000',
          QUIPU_LEASE_RENEW_MS: '1000',
          PORT: '0',
        },
        areas,
      );

    beforeAll(async () => {
      home = await mkdtemp(path.join(tmpdir(), 'quipu-planted-'));
      [node, broker, databases] = await Promise.all([
        startEventStoreNode(),
        SuiteBroker.start(),
        SuiteDatabases.start(),
      ]);
      database = databases.newUrl();
      const bus = broker.newUrl(client);
      const logger = pino({ level: 'silent' });
      projector = await startProjector(settings('projector', bus), logger, { areas });
      gateway = await startGateway(settings('gateway', bus), logger, {
        subscriptions: 'elsewhere',
        areas,
        httpFolders: HTTP_FOLDERS,
      });
      worker = await startWorkerProcess(settings('worker', bus), logger, areas);
      const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
      credentials = JSON.parse(text) as Bootstrap;
    });

    afterAll(async () => {
      await gateway.stop();
      await worker.stop();
      await projector.stop();
      await databases.remove(database);
      await Promise.all([node.stop(), broker.stop(), databases.stop()]);
      await rm(home, { recursive: true });
    });

    plantedAreaSuite(() => ({
      url: gateway.url,
      apiKey: credentials.api_key,
      accountId: '1',
      bus: gateway.app.get<Bus>(BUS, { strict: false }),
    }));
  },
);
