import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { requireProgram } from '../required-program.js';
import { freePorts, ServerProcess } from '../server-process.js';
import { type TestServer } from '../test-server.js';
import { kafkaJars } from './jars.js';
import {
  type BrokerIdentity,
  type BrokerPorts,
  type BrokerSettings,
  LOG4J_PROPERTIES,
  serverProperties,
} from './properties.js';

const START_TIMEOUT_MS = 120_000;
const HEAP = ['-Xmx256m', '-Xms128m', '-XX:+UseSerialGC'];

/** The credentials, which the broker has from its first start. */
const CREDENTIALS = { name: 'quipu', password: 'p@ss:word' };

export interface KafkaServer extends TestServer {
  /** The URL for a client that authenticates. */
  readonly saslUrl: string;
  /** The URL for a client that authenticates within TLS, if the broker has an identity. */
  readonly tlsUrl: string;
}

export interface KafkaOptions {
  /** The loopback port that the broker advertises, such as a proxy's; default: its own. */
  readonly advertisedPort?: number;
  /** A certificate for localhost and 127.0.0.1. */
  readonly identity?: BrokerIdentity;
}

/** A real broker of one node, in KRaft mode, with an empty log. */
export const startKafka = async (options: KafkaOptions = {}): Promise<KafkaServer> => {
  const [jars, folder] = await Promise.all([
    requireProgram('java').then(kafkaJars),
    mkdtemp(path.join(tmpdir(), 'quipu-kafka-')),
  ]);
  try {
    const [clients = 0, sasl = 0, tls = 0, controller = 0] = await freePorts(4);
    const { advertisedPort = clients, identity } = options;
    const ports = { clients, sasl, tls, controller, advertised: advertisedPort };
    const dataFolder = path.join(folder, 'data');
    const settings = { ports, credentials: CREDENTIALS, identity, dataFolder };
    const files = await writeConfiguration(folder, settings);
    const java = ['-cp', `${jars}/*`, `-Dlog4j2.configurationFile=${files.log4j}`];
    await format(java, files.server);
    return await new KafkaBroker(folder, ports, [
      ...HEAP,
      ...java,
      'kafka.Kafka',
      files.server,
    ]).start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
};

class KafkaBroker extends ServerProcess implements KafkaServer {
  readonly saslUrl: string;
  readonly tlsUrl: string;

  constructor(folder: string, { clients, sasl, tls }: BrokerPorts, words: readonly string[]) {
    super({
      name: 'the broker',
      folder,
      url: `kafka://127.0.0.1:${clients}`,
      address: { host: '127.0.0.1', port: clients },
      command: ['java', ...words],
      startTimeoutMs: START_TIMEOUT_MS,
      answers: () => answers(clients),
    });
    const userinfo = `${CREDENTIALS.name}:${encodeURIComponent(CREDENTIALS.password)}`;
    this.saslUrl = `kafka://${userinfo}@127.0.0.1:${sasl}?mechanism=scram-sha-256`;
    this.tlsUrl = `kafka://${userinfo}@localhost:${tls}?ssl=true&mechanism=plain`;
  }
}

interface Configuration {
  readonly server: string;
  readonly log4j: string;
}

const writeConfiguration = async (
  folder: string,
  settings: BrokerSettings,
): Promise<Configuration> => {
  const server = path.join(folder, 'server.properties');
  const log4j = path.join(folder, 'log4j2.properties');
  await writeFile(server, serverProperties(settings));
  await writeFile(log4j, LOG4J_PROPERTIES);
  return { server, log4j };
};

/** Formats the empty log with the credentials. */
const format = async (java: readonly string[], properties: string): Promise<void> => {
  const tool = [...java, 'kafka.tools.StorageTool'];
  const run = promisify(execFile);
  const { stdout } = await run('java', [...tool, 'random-uuid']);
  const clusterId = stdout.trim().split('\n').at(-1) ?? '';
  const { name, password } = CREDENTIALS;
  const scram = `SCRAM-SHA-256=[name=${name},password=${password}]`;
  await run('java', [...tool, 'format', '-t', clusterId, '-c', properties, '--add-scram', scram]);
};

const API_VERSIONS = Buffer.from('0000000c001200000000000000026869', 'hex');

/**
 * Whether the broker answers a request for its API versions: the port is open before the
 * broker has read its log.
 */
const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (isAnswered: boolean): void => {
      socket.destroy();
      resolve(isAnswered);
    };
    socket.setTimeout(1_000, () => settle(false));
    socket.once('connect', () => socket.write(API_VERSIONS));
    socket.once('data', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
  });
