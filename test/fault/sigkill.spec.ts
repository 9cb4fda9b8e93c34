import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
import { type HoldReleased } from '#events/billing/account.events.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { MODEL, scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { freePorts } from '../servers/server-process.js';
import { auditOf, wholeAnswersChargedTwice } from './ledger-of-log.js';

const ROUNDS = 12;
const CALLERS = 16;
/** The longest a round runs before it is killed. */
const ROUND_MS_MAX = 700;
const REQUEST_SECONDS = 2;
const MAIN = path.resolve(import.meta.dirname, '../../dist/apps/processes/standalone.main.js');
const CLI = path.resolve(import.meta.dirname, '../../dist/apps/cli/main.js');

const USAGE = statement(9, 3);
const WORDS = ['Knots', ' keep', ' accounts'];

/** Some answers are whole, some are streams, so that kills fall into both. */
const upstreamScript: Script = (response, received) => {
  const script =
    received.body['stream'] === true
      ? sse([...[...chunksOf(...WORDS), usageChunkOf(USAGE)].map(eventOf), DONE])
      : json(200, completionOf(WORDS.join(''), USAGE));
  setTimeout(() => script(response, received), 5);
};

/** A whole Quipu in a process that can be killed. */
class Victim {
  readonly acknowledged: string[] = [];
  /** What each caller wants answered: those who name a key ask for it again after a kill. */
  readonly #orders = Array.from({ length: CALLERS }, () => randomUUID());
  #process: ChildProcess | undefined;

  constructor(
    private readonly home: string,
    private readonly port: number,
    private readonly catalog: string,
  ) {}

  get environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      NODE_OPTIONS: '',
      PORT: String(this.port),
      QUIPU_HOME: this.home,
      QUIPU_CATALOG: this.catalog,
      QUIPU_LOG_LEVEL: 'fatal',
      QUIPU_REQUEST_SECONDS: String(REQUEST_SECONDS),
      QUIPU_SETTLE_SECONDS: '1',
    };
  }

  async start(): Promise<void> {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run npm run build first`);
    const child = spawn(process.execPath, [MAIN], {
      env: this.environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#process = child;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
      const ready = await fetch(`${this.url}/health/ready`).catch(() => undefined);
      if (ready?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** Asks again and again until the process is gone; remembers what was acknowledged. */
  async load(key: string): Promise<void> {
    await Promise.all(
      this.#orders.map(async (_, caller) => {
        const isKeyed = caller % 4 < 2;
        let isThere = true;
        while (isThere) {
          isThere = await this.#ask(key, caller, isKeyed);
          if (isThere || !isKeyed) this.#orders[caller] = randomUUID();
        }
      }),
    );
  }

  /** @returns whether that was the end of the order, rather than of the process */
  async #ask(key: string, caller: number, isKeyed: boolean): Promise<boolean> {
    const order = this.#orders[caller] ?? '';
    const stream = caller % 2 === 0;
    try {
      const response = await fetch(`${this.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${key}`,
          ...(isKeyed && { 'idempotency-key': order }),
        },
        body: JSON.stringify({
          model: MODEL,
          // A prompt, and so a hash of the prompt, of its own.
          messages: [{ role: 'user', content: `Tell me of knots. ${order}` }],
          stream,
        }),
      });
      const text = await response.text();
      const id = stream
        ? /x-quipu-event-id=([0-9a-f-]+)/.exec(text)?.[1]
        : response.headers.get('x-quipu-event-id');
      if (id) this.acknowledged.push(id);
      return response.ok || text.includes('idempotency_answer_lost');
    } catch {
      return false;
    }
  }
}

const readLog = async (home: string): Promise<readonly RecordedEvent[]> => {
  const store = await openSqliteEventStore({ file: path.join(home, 'events.db') });
  try {
    return (await Array.fromAsync(store.readAll())).flat();
  } finally {
    await store.close();
  }
};

const isFreedByRetry = ({ type, data, metadata }: RecordedEvent): boolean =>
  type === 'HoldReleased' && (data as HoldReleased['data']).holdId !== metadata.requestId;

describe('SIGKILL under load', () => {
  let home: string;
  let upstream: Upstream;
  let victim: Victim;

  beforeAll(async () => {
    upstream = await startUpstream(upstreamScript);
    home = await mkdtemp(path.join(tmpdir(), 'quipu-sigkill-'));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, scriptedCatalog(upstream.baseUrl));
    const [port = 0] = await freePorts(1);
    victim = new Victim(home, port, catalog);
  });

  afterAll(async () => {
    await victim.kill('SIGKILL');
    await upstream.close();
    await rm(home, { recursive: true, force: true });
  });

  it(`loses no acknowledged event, charges once, leaves no orphan, ${ROUNDS} times`, async () => {
    const charges: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await victim.start();
      const { api_key: key } = JSON.parse(
        await readFile(path.join(home, 'bootstrap.json'), 'utf8'),
      ) as { api_key: string };
      const loading = victim.load(key);
      // Rounds of unlike length, so that kills fall everywhere: between any two steps in the end.
      await new Promise((resolve) => setTimeout(resolve, (ROUND_MS_MAX * (round + 1)) / ROUNDS));
      await victim.kill('SIGKILL');
      await loading;
      const events = await readLog(home);
      const ids = new Set(events.map(({ id }) => id));
      expect(victim.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
      expect(auditOf(events).faults).toEqual([]);
      charges.push(events.filter(({ type }) => type === 'HoldCaptured').length);
    }
    expect(charges.at(-1)).toBeGreaterThan(ROUNDS);
    const events = await readLog(home);
    expect(wholeAnswersChargedTwice(events)).toEqual([]);
    // Keyed requests that were killed in their middle were freed by those that came again.
    expect(events.filter(isFreedByRetry).length).toBeGreaterThan(ROUNDS);
    await victim.start();
    await orphansAreSwept(home);
    await expectBalanced(victim);
    await victim.kill('SIGTERM');
  }, 180_000);
});

const orphansAreSwept = async (home: string): Promise<void> => {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const audit = auditOf(await readLog(home));
    const open = [...audit.accounts.values()].flatMap(({ holds }) => [...holds.values()]);
    if (open.length === 0) return;
    if (Date.now() > deadline) throw new Error(`${open.length} holds are open past their deadline`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

/** `quipu ledger check` on the log as the kills left it, while the server runs. */
const expectBalanced = async ({ environment }: Victim): Promise<void> => {
  const child = spawn(process.execPath, [CLI, 'ledger', 'check', '--json'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = (await Array.fromAsync(child.stdout)).join('');
  expect(JSON.parse(output)).toMatchObject({ balanced: true, faults: [] });
};
