import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Script, startUpstream } from '#areas/inference/rigs/upstream.fake.js';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { type AppName, Member, runCli } from '../../end-to-end/fleet.harness.js';
import { answering, eventually } from '../../end-to-end/quipu.harness.js';
import { startEventStoreNode } from '../../servers/event-store/event-store.server.js';
import { FaultProxy } from '../../servers/fault-proxy.js';
import { startKafka } from '../../servers/kafka/kafka.server.js';
import { startMongoDb } from '../../servers/mongodb/mongodb.server.js';
import { freePorts } from '../../servers/server-process.js';
import { type TestServer } from '../../servers/test-server.js';

const NANO = path.resolve(import.meta.dirname, '../../../models/nano.gguf');

/** A request times out after 8 s, and its hold is swept 2 s later. */
const SECONDS = {
  QUIPU_REQUEST_SECONDS: '8',
  QUIPU_SETTLE_SECONDS: '2',
  QUIPU_DRAIN_SECONDS: '5',
  // While their process is killed again and again, readers fall behind, and requests go on.
  QUIPU_READ_LAG_SECONDS: '60',
};
/** Longer than a process on a busy machine waits for the CPU. */
const LEASE = { QUIPU_LEASE_TTL_MS: '3000', QUIPU_LEASE_RENEW_MS: '500' };

/** The session of a member of a Kafka group, for the same reason. */
export const SESSION_MS = 3_000;

/** The latency of an upstream. The load is concurrent requests, not the use of the CPU. */
const ANSWER_MS = 40;

export const SCRIPTED = 'acme/scripted';
export const BUILT_IN = 'quipu/nano';

const catalogOf = (baseUrl: string): string => `
rigs:
  - { name: scripted, kind: openai, base_url: ${baseUrl}, max_concurrency: 64 }
  - { name: built-in, kind: embedded }
models:
  - { id: ${SCRIPTED}, upstream_id: scripted-1, owned_by: acme, rigs: [scripted], context: 8192,
      max_output: 100, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  - { id: ${BUILT_IN}, upstream_id: nano, owned_by: quipu, rigs: [built-in], context: 1024,
      max_output: 64, file: ${NANO}, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

const slowly =
  (script: Script): Script =>
  (response, received) =>
    void setTimeout(() => script(response, received), ANSWER_MS);

/** The proxies between processes and servers. */
interface Networks {
  readonly gatewaysToLog: FaultProxy;
  readonly projectorsToReadModels: FaultProxy;
  readonly allToBus: FaultProxy;
}

export interface FleetSize {
  readonly gateways: number;
  readonly projectors: number;
  readonly workers: number;
}

export interface FleetUnderFault {
  readonly servers: {
    readonly eventStore: TestServer;
    readonly mongodb: TestServer;
    readonly kafka: TestServer;
  };
  readonly networks: Networks;
  readonly gateways: readonly Member[];
  readonly projectors: readonly Member[];
  readonly workers: readonly Member[];
  readonly credentials: Bootstrap;
  readonly busUrl: string;
  /** Every event, read directly from the server. */
  events(): Promise<readonly RecordedEvent[]>;
  /** Runs `quipu` on the engines of the fleet. */
  quipu(...args: readonly string[]): Promise<unknown>;
  /** Resolves when every process reports that it is ready. */
  allReady(): Promise<void>;
  leader(): Promise<Member>;
  close(): Promise<void>;
}

/** Closes resources in the reverse order of their opening. */
class Closing {
  readonly #steps: (() => Promise<unknown>)[] = [];

  add(step: () => Promise<unknown>): void {
    this.#steps.unshift(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0)) await step();
  }
}

/** A fleet on its own servers, which specs kill, behind networks, which specs disturb. */
export const startFleetUnderFault = async (size: FleetSize): Promise<FleetUnderFault> => {
  const closing = new Closing();
  try {
    return await start(size, closing);
  } catch (error) {
    await closing.run();
    throw error;
  }
};

const start = async (size: FleetSize, closing: Closing): Promise<FleetUnderFault> => {
  const { servers, networks } = await startServers(closing);
  const { home, variables } = await makeHome(networks, closing);
  const { eventStore, mongodb } = servers;
  const direct = {
    ...variables,
    QUIPU_EVENT_STORE: eventStore.url,
    QUIPU_READ_STORE: mongodb.url,
  };
  const gateways = await members('gateway', size.gateways, {
    ...direct,
    QUIPU_EVENT_STORE: through(networks.gatewaysToLog, eventStore),
  });
  const projectors = await members('projector', size.projectors, {
    ...direct,
    QUIPU_READ_STORE: through(networks.projectorsToReadModels, mongodb),
  });
  const workers = await members('worker', size.workers, variables);
  const all = [...gateways, ...projectors, ...workers];
  closing.add(() => Promise.all(all.map((one) => one.end('SIGKILL'))));
  const first = [...gateways, ...projectors];
  for (const one of first) one.spawn();
  await Promise.all(first.map((one) => one.ready()));
  // A worker needs the master key, which the other processes create.
  await Promise.all(workers.map((worker) => worker.start()));
  const log = await openEventStoreDb({ url: eventStore.url });
  closing.add(() => log.close());
  const credentials = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
  return {
    servers,
    networks,
    gateways,
    projectors,
    workers,
    credentials: JSON.parse(credentials) as Bootstrap,
    busUrl: variables.QUIPU_BUS,
    events: async () => (await Array.fromAsync(log.readAll())).flat(),
    quipu: (...args) => runCli(direct, args),
    allReady: async () => {
      await Promise.all(all.map((one) => one.ready()));
    },
    leader: () => leaderOf(projectors),
    close: () => closing.run(),
  };
};

/** The broker advertises the address of the proxy, so that its clients connect through it. */
const startServers = async (closing: Closing) => {
  const [busPort = 0] = await freePorts(1);
  const [eventStore, mongodb, kafka] = await Promise.all([
    startEventStoreNode(),
    startMongoDb(),
    startKafka({ advertisedPort: busPort }),
  ]);
  const servers = { eventStore, mongodb, kafka };
  for (const server of Object.values(servers)) closing.add(() => server.stop());
  const networks = {
    gatewaysToLog: await FaultProxy.before(eventStore.address),
    projectorsToReadModels: await FaultProxy.before(mongodb.address),
    allToBus: await FaultProxy.before(kafka.address, busPort),
  };
  for (const network of Object.values(networks)) closing.add(() => network.close());
  return { servers, networks };
};

/** The URL of a server through a proxy. */
const through = ({ address }: FaultProxy, server: TestServer): string =>
  server.url.replace(`:${server.address.port}`, `:${address.port}`);

const makeHome = async ({ allToBus }: Networks, closing: Closing) => {
  const upstream = await startUpstream(slowly(answering('Knots', ' keep', ' accounts', '.')));
  closing.add(() => upstream.close());
  const home = await mkdtemp(path.join(tmpdir(), 'quipu-fault-'));
  closing.add(() => rm(home, { recursive: true, force: true }));
  const catalogFile = path.join(home, 'catalog.yaml');
  await writeFile(catalogFile, catalogOf(upstream.baseUrl));
  const variables = {
    QUIPU_HOME: home,
    QUIPU_CATALOG: catalogFile,
    QUIPU_BUS: `kafka://127.0.0.1:${allToBus.address.port}?session_ms=${SESSION_MS}`,
    QUIPU_LOG_LEVEL: 'warn',
    ...SECONDS,
    ...LEASE,
  };
  return { home, variables };
};

const members = async (
  app: AppName,
  count: number,
  environment: NodeJS.ProcessEnv,
): Promise<readonly Member[]> => {
  const ports = await freePorts(count);
  return ports.map((port, index) => {
    const name = `${app}-${index}`;
    return new Member(name, app, port, { ...environment, QUIPU_INSTANCE: name });
  });
};

const leaderOf = async (projectors: readonly Member[]): Promise<Member> => {
  let leader: Member | undefined;
  await eventually(async () => {
    const reports = await Promise.all(projectors.map((one) => one.report()));
    leader = projectors.find((_, index) => reports[index]?.lease?.role === 'leader');
    return leader !== undefined;
  });
  if (!leader) throw new Error('there is no leader');
  return leader;
};
