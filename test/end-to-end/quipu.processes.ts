import path from 'node:path';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { SuiteBroker } from '../servers/kafka/suite-broker.js';
import { SuiteDatabases } from '../servers/mongodb/suite-databases.js';
import { startEventStoreNode } from '../servers/event-store/event-store.server.js';
import { freePorts } from '../servers/server-process.js';
import { type AppName, Member } from './fleet.harness.js';
import { type Installation } from './quipu.harness.js';

/** Each server has two clients. A fleet uses the first of each, or the second of each. */
export type Clients = 'first' | 'second';

export interface ProcessesOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly clients: Clients;
  /** False for a fleet without built-in models. */
  readonly hasWorker: boolean;
  /** The master key is shared with the other processes. */
  readonly workerHome: string;
}

/**
 * Quipu in processes: the embedded event store, a gateway, a projector and a worker, with a
 * separate database and topics on the shared servers.
 */
export const installProcesses = async ({
  environment,
  clients,
  hasWorker,
  workerHome,
}: ProcessesOptions): Promise<Installation> => {
  const [node, broker, databases] = await Promise.all([
    startEventStoreNode(),
    SuiteBroker.start(),
    SuiteDatabases.start(),
  ]);
  const database = databases.newUrl();
  const shared = {
    ...environment,
    QUIPU_EVENT_STORE: clients === 'first' ? node.url : node.url.replace(/^esdb/, 'kurrentdb'),
    QUIPU_READ_STORE: database,
    QUIPU_BUS: broker.newUrl(clients === 'first' ? 'kafkajs' : 'platformatic'),
  };
  const [gatewayPort = 0, projectorPort = 0, workerPort = 0] = await freePorts(3);
  const member = (app: AppName, port: number, more: NodeJS.ProcessEnv = {}): Member =>
    new Member(app, app, port, { ...shared, QUIPU_INSTANCE: app, ...more });
  const ofWorker = {
    QUIPU_HOME: workerHome,
    QUIPU_MASTER_KEY_FILE: path.join(environment['QUIPU_HOME'] ?? '', 'master.key'),
  };
  const gateway = member('gateway', gatewayPort);
  const projector = member('projector', projectorPort);
  const workers = hasWorker ? [member('worker', workerPort, ofWorker)] : [];
  const log = await openEventStoreDb({ url: node.url });
  let isStarted = false;
  return {
    environment: shared,
    start: async () => {
      gateway.spawn();
      if (!isStarted) projector.spawn();
      await Promise.all([gateway.ready(), projector.ready()]);
      // A worker needs the master key, which the other processes create.
      if (!isStarted) await Promise.all(workers.map((worker) => worker.start()));
      isStarted = true;
      return {
        url: gateway.url,
        grpcPort: undefined,
        stop: async () => {
          await gateway.end('SIGTERM');
        },
      };
    },
    events: async (): Promise<readonly RecordedEvent[]> =>
      (await Array.fromAsync(log.readAll())).flat(),
    close: async () => {
      await Promise.all([gateway, projector, ...workers].map((one) => one.end('SIGKILL')));
      await log.close();
      await databases.remove(database);
      await Promise.all([node.stop(), broker.stop(), databases.stop()]);
    },
  };
};
