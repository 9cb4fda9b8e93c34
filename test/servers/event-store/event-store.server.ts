import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, ServerProcess } from '../server-process.js';
import { type TestServer } from '../test-server.js';

const MAIN = path.resolve('bundle/apps/processes/event-store.main.js');

const START_TIMEOUT_MS = 120_000;

export interface EventStoreNode extends TestServer {
  /** The folder of its log, `events.db`, which a test may exchange while the node is killed. */
  readonly home: string;
}

/** The embedded event store in a separate process, served by EventStoreDB's protocol. */
export const startEventStoreNode = async (): Promise<EventStoreNode> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-event-store-'));
  const home = path.join(folder, 'home');
  try {
    const [grpcPort = 0, healthPort = 0] = await freePorts(2);
    const server = new ServerProcess({
      name: 'the event store',
      folder,
      url: `esdb://127.0.0.1:${grpcPort}?tls=false`,
      address: { host: '127.0.0.1', port: grpcPort },
      command: [process.execPath, MAIN],
      environment: {
        PATH: process.env['PATH'],
        QUIPU_HOME: home,
        HOST: '127.0.0.1',
        PORT: String(healthPort),
        QUIPU_GRPC_PORT: String(grpcPort),
        QUIPU_GRPC_INSECURE: '1',
      },
      startTimeoutMs: START_TIMEOUT_MS,
      answers: () => isReady(`http://127.0.0.1:${healthPort}/health/ready`),
    });
    return Object.assign(await server.start(), { home });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
};

const isReady = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
};
