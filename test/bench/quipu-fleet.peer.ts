import { startKafka } from '../servers/kafka/kafka.server.js';
import { startMongoDb } from '../servers/mongodb/mongodb.server.js';
import { freePorts } from '../servers/server-process.js';
import { type PeerProcess, startPeer } from './peer-process.js';
import { freshQuipuHome, type QuipuHome, quipuProgram } from './quipu.peer.js';
import { started, stopServer } from './servers.js';

/** Quipu as processes of their own on the production engines. */
export interface QuipuFleet {
  readonly home: QuipuHome;
  readonly gateway: PeerProcess;
  readonly projector: PeerProcess;
  readonly eventStore: PeerProcess;
  readonly stop: () => Promise<void>;
}

export interface EventStoreNode {
  readonly process: PeerProcess;
  /** Without a scheme: either client's goes before it. */
  readonly address: string;
}

/** The embedded log in a process of its own, on plain text over loopback. */
export const startEventStoreNode = async (
  home: string,
  directory: string,
): Promise<EventStoreNode> => {
  const [port = 0] = await freePorts(1);
  const program = quipuProgram('event-store', {
    QUIPU_HOME: home,
    QUIPU_GRPC_PORT: String(port),
    QUIPU_GRPC_INSECURE: '1',
  });
  const process = await startPeer(program, directory);
  return { process, address: `127.0.0.1:${port}?tls=false` };
};

/** One gateway and one projector; a worker has nothing to do where the upstream answers. */
export const startFleet = async (directory: string, upstreamPort: number): Promise<QuipuFleet> => {
  const [kafka, mongodb] = await Promise.all([started(startKafka()), started(startMongoDb())]);
  const { environment: own, directory: folder } = await freshQuipuHome(directory, upstreamPort);
  const { process: eventStore, address } = await startEventStoreNode(folder, directory);
  const environment = {
    ...own,
    QUIPU_EVENT_STORE: `esdb://${address}`,
    QUIPU_READ_STORE: mongodb.url,
    QUIPU_BUS: kafka.url,
  };
  const program = quipuProgram('gateway', { ...environment, QUIPU_INSTANCE: 'gateway' });
  const home = { program, environment, directory: folder };
  // A gateway is not ready before a projector runs.
  const [gateway, projector] = await Promise.all([
    startPeer(program, directory),
    startPeer(
      quipuProgram('projector', { ...environment, QUIPU_INSTANCE: 'projector' }),
      directory,
    ),
  ]);
  const stop = async (): Promise<void> => {
    await Promise.all([gateway.stop(), projector.stop()]);
    await Promise.all([eventStore.stop(), stopServer(kafka), stopServer(mongodb)]);
  };
  return { home, gateway, projector, eventStore, stop };
};
