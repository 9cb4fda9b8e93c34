import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import OpenAI from 'openai';
import { pino } from 'pino';
import { type Bootstrap } from '#apps/standalone/bootstrap.js';
import { type Standalone, startStandalone } from '#apps/standalone/standalone.js';
import { readSettings } from '#apps/composition/settings.js';
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
} from '#areas/inference/rigs/upstream.specification.js';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';

/** The model of the scripted upstream. */
export const MODEL = 'acme/scripted';

/** 1 USD for a million tokens in, 2 USD for a million out: a token costs 1 and 2 micro-dollars. */
const scriptedCatalog = (baseUrl: string): string => `
rigs:
  - { name: scripted, kind: openai, base_url: ${baseUrl}, max_concurrency: 64 }
models:
  - { id: ${MODEL}, upstream_id: scripted-1, owned_by: acme, rigs: [scripted], context: 8192,
      max_output: 100, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

export interface World {
  readonly quipu: Standalone;
  readonly upstream: Upstream;
  readonly home: string;
  readonly credentials: Bootstrap;
  readonly openai: OpenAI;
  /** Every event of the log, in order. */
  events(): Promise<readonly RecordedEvent[]>;
  /** Stops the gateway and starts it anew on the same home. */
  restart(): Promise<World>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** The catalog file's text for an upstream at this address. */
  readonly catalogOf?: (baseUrl: string) => string;
}

/** A whole Quipu in this process, on a home of its own, before a scripted upstream. */
export const startWorld = async (
  scripts: readonly Script[],
  { environment = {}, catalogOf = scriptedCatalog }: WorldOptions = {},
): Promise<World> => {
  const upstream = await startUpstream(...scripts);
  const home = await mkdtemp(path.join(tmpdir(), 'quipu-e2e-'));
  const catalogFile = path.join(home, 'catalog.yaml');
  await writeFile(catalogFile, catalogOf(upstream.baseUrl));
  const settings = readSettings({
    PORT: '0',
    QUIPU_HOME: home,
    QUIPU_CATALOG: catalogFile,
    QUIPU_LOG_LEVEL: 'silent',
    QUIPU_DRAIN_SECONDS: '5',
    ...environment,
  });
  const start = async (): Promise<World> => {
    const quipu = await startStandalone(settings, pino({ level: settings.logLevel }));
    const credentials = JSON.parse(
      await readFile(path.join(home, 'bootstrap.json'), 'utf8'),
    ) as Bootstrap;
    const eventStore = quipu.app.get<EventStore>(EVENT_STORE, { strict: false });
    return {
      quipu,
      upstream,
      home,
      credentials,
      openai: new OpenAI({
        baseURL: `${quipu.url}/v1`,
        apiKey: credentials.api_key,
        maxRetries: 0,
      }),
      events: async () => (await Array.fromAsync(eventStore.readAll())).flat(),
      restart: async () => {
        await quipu.stop();
        return start();
      },
      close: async () => {
        await quipu.stop();
        await upstream.close();
        await rm(home, { recursive: true, force: true });
      },
    };
  };
  return start();
};

export const chatRequest = (body: Readonly<Record<string, unknown>> = {}) => ({
  model: MODEL,
  messages: [{ role: 'user' as const, content: 'Tell me of knots.' }],
  ...body,
});

/** Waits for a condition of the system, not for a time. */
export const eventually = async (
  condition: () => Promise<boolean> | boolean,
  withinMs = 10_000,
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`did not happen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** What one request came to in the log, by its `x-request-id`. */
export const eventsOf = (
  events: readonly RecordedEvent[],
  requestId: string | null,
): readonly RecordedEvent[] => events.filter(({ metadata }) => metadata.requestId === requestId);

const PROMPT_TOKENS = 9;

/** An upstream that answers in these words, a token each, whole or as a stream, and says so. */
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
