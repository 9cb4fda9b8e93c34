import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startKafka } from '../servers/kafka/kafka.server.js';
import { type BenchOptions } from './bench-options.js';
import { busUrlOf, CLIENTS } from './bus-client.js';
import { benchRoundTrip } from './bus-round-trip.bench.js';
import { type Figure } from './figure.js';
import { benchJobsOverKafka } from './jobs.bench.js';
import { percentile } from './load/percentile.js';
import { type PeerProcess, startPeer } from './peer-process.js';
import { openAccounts, quipuProgram } from './quipu.peer.js';
import { started, stopServer } from './servers.js';
import { type TimedChat, timeChat } from './timed-chat.js';

const WARM_UPS = 20;
const CHATS = 300;
const CHATS_QUICK = 20;

const ADDED_MS_MAX = 15;

/** Admission must never be what is measured. */
const MAX_CONCURRENCY = 16;

/** The catalog that ships, whose model file lies beside it. */
const catalogText = async (): Promise<string> => {
  const shipped = path.resolve('catalog.yaml');
  const text = await readFile(shipped, 'utf8');
  return text
    .replace('kind: embedded', `kind: embedded, max_concurrency: ${MAX_CONCURRENCY}`)
    .replace('file: models/', `file: ${path.join(path.dirname(shipped), 'models')}/`);
};

/** A Quipu that answers with the built-in model, here or with a worker of its own. */
interface Path {
  readonly name: string;
  readonly port: number;
  readonly apiKey: string;
  readonly chats: TimedChat[];
  readonly stop: () => Promise<void>;
}

/**
 * All else being equal: the engines are files of its own on every path. The worker shares nothing
 * with its gateway but the bus and the master key.
 */
const openPath = async (name: string, bus: string, directory: string): Promise<Path> => {
  const home = await mkdtemp(path.join(directory, 'worker-'));
  const catalog = path.join(home, 'catalog.yaml');
  await writeFile(catalog, await catalogText());
  const environment = { QUIPU_HOME: home, QUIPU_CATALOG: catalog, QUIPU_BUS: bus };
  const program = quipuProgram('standalone', { ...environment, QUIPU_INSTANCE: 'gateway' });
  const gateway = await startPeer(program, directory);
  const processes: PeerProcess[] = [gateway];
  if (bus !== 'memory:') {
    const own = {
      QUIPU_HOME: await mkdtemp(path.join(directory, 'worker-')),
      QUIPU_MASTER_KEY_FILE: path.join(home, 'master.key'),
      QUIPU_BUS: bus,
      QUIPU_INSTANCE: 'worker',
    };
    processes.push(await startPeer(quipuProgram('worker', own), directory));
  }
  const { hot } = await openAccounts({ program, environment, directory: home }, 0);
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((one) => one.stop()));
  };
  return { name, port: gateway.port, apiKey: hot, chats: [], stop };
};

/** @throws when a path answers otherwise than the one before it */
const askAll = async (paths: readonly Path[], seed: number): Promise<void> => {
  const texts = new Set<string>();
  for (const one of paths) {
    const chat = await timeChat({ ...one, seed });
    texts.add(chat.text);
    one.chats.push(chat);
  }
  if (texts.size > 1) throw new Error(`seed ${seed}: ${[...texts].join(' | ')}`);
};

const distribution = (
  name: string,
  values: readonly number[],
  target?: Figure['target'],
): readonly Figure[] => {
  const ascending = Float64Array.from(values).sort();
  const p50 = { name: `${name}, p50`, value: percentile(ascending, 0.5), unit: 'ms' };
  return [
    target ? { ...p50, target } : p50,
    { name: `${name}, p99`, value: percentile(ascending, 0.99), unit: 'ms' },
  ];
};

const figuresOf = ({ name, chats }: Path, local: Path): readonly Figure[] => {
  const seen = [
    ...distribution(
      `chat ${name}, first token`,
      chats.map(({ firstMs }) => firstMs),
    ),
    ...distribution(
      `chat ${name}, whole answer`,
      chats.map(({ wholeMs }) => wholeMs),
    ),
  ];
  if (chats === local.chats) return seen;
  const added = (measure: 'firstMs' | 'wholeMs'): readonly number[] =>
    chats.map((chat, index) => chat[measure] - (local.chats[index]?.[measure] ?? Number.NaN));
  const target = { atMost: ADDED_MS_MAX };
  return [
    ...seen,
    ...distribution(`chat ${name}, added to the first token`, added('firstMs'), target),
    ...distribution(`chat ${name}, added to the whole answer`, added('wholeMs'), target),
  ];
};

/**
 * The same question with the same seeds, one at a time, to a model in the gateway's process and to
 * one behind Kafka, in turns, so that a difference belongs to one pair of neighbours in time.
 */
const benchChats = async (
  kafkaUrl: string,
  { directory, isQuick }: BenchOptions,
): Promise<readonly Figure[]> => {
  const local = await openPath('in process', 'memory:', directory);
  const paths = [local];
  for (const client of CLIENTS)
    paths.push(await openPath(`through ${client}`, busUrlOf(kafkaUrl, client, client), directory));
  const chats = isQuick ? CHATS_QUICK : CHATS;
  for (let seed = 0; seed < WARM_UPS + chats; seed += 1) await askAll(paths, seed);
  for (const one of paths) one.chats.splice(0, WARM_UPS);
  await Promise.all(paths.map((one) => one.stop()));
  return paths.flatMap((one) => figuresOf(one, local));
};

/** The time that a worker behind a real broker costs a caller, with either client. */
export const benchWorker = async (options: BenchOptions): Promise<readonly Figure[]> => {
  const kafka = await started(startKafka());
  const figures: Figure[] = [];
  for (const client of CLIENTS) {
    const url = busUrlOf(kafka.url, client, `trip-${client}`);
    const trips = await benchRoundTrip(url, options.isQuick);
    figures.push(...distribution(`bus round trip, ${client}`, trips));
  }
  figures.push(...(await benchChats(kafka.url, options)));
  const jobs = await benchJobsOverKafka(busUrlOf(kafka.url, 'kafkajs', 'jobs'), options);
  figures.push(...jobs);
  await stopServer(kafka);
  return figures;
};
