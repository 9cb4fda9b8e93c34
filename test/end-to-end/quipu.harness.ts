import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import OpenAI from 'openai';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { type Standalone } from '#apps/processes/standalone.process.js';
import {
  chunksOf,
  completionOf,
  DONE,
  eventOf,
  json,
  type Script,
  sse,
  startUpstream,
  statement,
  type Upstream,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { loadQuipu } from './loaded-quipu.js';
import { type Clients, type ProcessesOptions } from './quipu.processes.js';
import { OPERATIONS_TOKEN } from '#apps/operations/operations.fixture.js';

/** The model of the scripted upstream. */
export const MODEL = 'acme/scripted';

/** 1 USD for a million tokens in, 2 USD for a million out: a token costs 1 and 2 micro-dollars. */
export const scriptedCatalog = (baseUrl: string): string => `
rigs:
  - { name: scripted, kind: openai, base_url: ${baseUrl}, max_concurrency: 64 }
models:
  - { id: ${MODEL}, upstream_id: scripted-1, owned_by: acme, rigs: [scripted], context: 8192,
      max_output: 100, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

/** A running Quipu for callers. */
export interface RunningQuipu {
  readonly url: string;
  /** The address of the event store by EventStoreDB's protocol, if served. */
  readonly grpcPort: number | undefined;
  /** Stops cleanly. Idempotent. */
  stop(): Promise<void>;
}

/** A home with its stores, which outlive the gateways on them. */
export interface Installation {
  readonly environment: NodeJS.ProcessEnv;
  start(): Promise<RunningQuipu>;
  events(): Promise<readonly RecordedEvent[]>;
  close(): Promise<void>;
}

export interface World {
  readonly quipu: RunningQuipu;
  readonly upstream: Upstream;
  readonly home: string;
  /** The settings of every process of it, for a command line beside them. */
  readonly environment: NodeJS.ProcessEnv;
  readonly credentials: Bootstrap;
  readonly openai: OpenAI;
  /** Every event of the log, in order. */
  log(): Promise<readonly RecordedEvent[]>;
  /** The log without attempts of rigs, which are recorded up to a second after their request. */
  events(): Promise<readonly RecordedEvent[]>;
  /** Stops the gateway and starts it again on the same home. */
  restart(): Promise<World>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** The catalog file's text for an upstream at this address. */
  readonly catalogOf?: (baseUrl: string) => string;
  /** Default: the first client of each server, if servers are given. */
  readonly clients?: Clients;
  /** Has the worker of a suite on servers share no folder with the other processes. */
  readonly isWorkerRemote?: boolean;
  /** Runs in this process, on its own files, although other suites of the run have servers. */
  readonly isHere?: boolean;
}

/** Set if the suite runs on real servers in separate processes; default: in this process. */
const HAS_SERVERS = process.env['TEST_ENGINES'] === 'servers';

/** A whole Quipu with its own home and a scripted upstream. */
export const startWorld = async (
  scripts: readonly Script[],
  options: WorldOptions = {},
): Promise<World> => {
  const { environment = {}, catalogOf = scriptedCatalog, clients = 'first' } = options;
  const { isHere = !HAS_SERVERS, isWorkerRemote = false } = options;
  const upstream = await startUpstream(...scripts);
  const home = await mkdtemp(path.join(tmpdir(), 'quipu-e2e-'));
  const catalogFile = path.join(home, 'catalog.yaml');
  const catalog = catalogOf(upstream.baseUrl);
  await writeFile(catalogFile, catalog);
  const variables = {
    QUIPU_HOME: home,
    QUIPU_CATALOG: catalogFile,
    QUIPU_LOG_LEVEL: 'silent',
    QUIPU_DRAIN_SECONDS: '5',
    QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN,
    ...environment,
  };
  const hasWorker = catalog.includes('kind: embedded');
  const workerHome = isWorkerRemote ? path.join(home, 'worker') : home;
  const processes = { environment: variables, clients, workerHome, hasWorker };
  const installation = isHere ? await installHere(variables) : await installProcesses(processes);
  const start = async (): Promise<World> => {
    const quipu = await installation.start();
    const credentials = JSON.parse(
      await readFile(path.join(home, 'bootstrap.json'), 'utf8'),
    ) as Bootstrap;
    return {
      quipu,
      upstream,
      home,
      environment: installation.environment,
      credentials,
      openai: new OpenAI({
        baseURL: `${quipu.url}/v1`,
        apiKey: credentials.api_key,
        maxRetries: 0,
      }),
      log: () => installation.events(),
      events: async () => (await installation.events()).filter(isNoAttempt),
      restart: async () => {
        await quipu.stop();
        return start();
      },
      close: async () => {
        await installation.close();
        await upstream.close();
        await rm(home, { recursive: true, force: true });
      },
    };
  };
  return start();
};

/** Loads the clients of the servers only for suites that run on them. */
const installProcesses = async (options: ProcessesOptions): Promise<Installation> => {
  const processes = await import('./quipu.processes.js');
  return processes.installProcesses(options);
};

/** Quipu on the embedded stores, in this process. */
const installHere = async (environment: NodeJS.ProcessEnv): Promise<Installation> => {
  const { startStandalone, EVENT_STORE } = await loadQuipu();
  let running: Standalone | undefined;
  return {
    environment,
    start: async () => (running = await startStandalone(environment)),
    events: async () => {
      const eventStore = running?.app.get<EventStore>(EVENT_STORE, { strict: false });
      return (await Array.fromAsync(eventStore?.readAll() ?? [])).flat();
    },
    close: async () => running?.stop(),
  };
};

export const chatRequest = (body: Readonly<Record<string, unknown>> = {}) => ({
  model: MODEL,
  messages: [{ role: 'user' as const, content: 'Tell me of knots.' }],
  ...body,
});

export { eventually } from '#platform/kernel/eventually.fixture.js';

const isNoAttempt = ({ type }: RecordedEvent): boolean => type !== 'RigAttemptsRecorded';

/** The events of one request in the log, by its `x-request-id`. */
export const eventsOf = (
  events: readonly RecordedEvent[],
  requestId: string | null,
): readonly RecordedEvent[] => events.filter(({ metadata }) => metadata.requestId === requestId);

const PROMPT_TOKENS = 9;

/** An upstream that answers with these words, a token each, whole or as a stream, with usage. */
/** More cached tokens than the prompt has: a mismatch that falls to the customer's favour. */
export const overstating: Script = (response, received) => {
  const usage = statement(PROMPT_TOKENS, 2);
  const cached = { prompt_tokens_details: { cached_tokens: PROMPT_TOKENS + 50 } };
  json(200, completionOf('Knots.', { ...usage, ...cached }))(response, received);
};

export const answering =
  (...words: readonly string[]): Script =>
  (response, received) => {
    const usage = statement(PROMPT_TOKENS, words.length);
    const chunks = [...chunksOf(...words), usageChunkOf(usage)];
    const script =
      received.body['stream'] === true
        ? sse([...chunks.map(eventOf), DONE])
        : json(200, completionOf(words.join(''), usage));
    script(response, received);
  };
