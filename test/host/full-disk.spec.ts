import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { type RuntimeReport } from '#apps/operations/runtime.readiness.js';
import {
  completionOf,
  json,
  startUpstream,
  statement,
} from '#areas/inference/rigs/upstream.fake.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { requireProgram } from '../servers/required-program.js';
import { freePorts } from '../servers/server-process.js';
import { asOperator, OPERATIONS_TOKEN } from '#apps/operations/operations.fixture.js';

const MAIN = path.resolve(import.meta.dirname, '../../bundle/apps/processes/standalone.main.js');
const CLI = path.resolve(import.meta.dirname, '../../bundle/apps/cli/main.js');
/** The writes to the log after which the disk is full, and after which it has room again. */
const FULL_FROM = 200;
const FULL_TO = 260;

interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly eventId: string | null;
}

describe('a whole Quipu on a disk that fills up', () => {
  /** Undoes what `beforeAll` has done, also when it fails. */
  const closing: (() => Promise<unknown>)[] = [];
  let home: string;
  let url: string;
  let server: ChildProcess;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    await requireProgram('strace');
    const upstream = await startUpstream(json(200, completionOf('Knots.', statement(9, 2))));
    closing.push(() => upstream.close());
    home = await mkdtemp(path.join(tmpdir(), 'quipu-full-disk-'));
    closing.push(() => rm(home, { recursive: true, force: true }));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, scriptedCatalog(upstream.baseUrl));
    const [port = 0] = await freePorts(1);
    url = `http://127.0.0.1:${port}`;
    environment = {
      PATH: process.env['PATH'],
      PORT: String(port),
      QUIPU_HOME: home,
      QUIPU_CATALOG: catalog,
      QUIPU_LOG_LEVEL: 'fatal',
      QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN,
      QUIPU_REQUEST_SECONDS: '5',
      QUIPU_SETTLE_SECONDS: '1',
    };
    server = startOnFillingDisk();
    closing.push(async () => {
      if (server.exitCode === null && server.signalCode === null) await end('SIGKILL');
    });
  });

  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  /** The whole group: what strace itself is sent does not reach what it traces. */
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = once(server, 'exit');
    process.kill(-(server.pid ?? 0), signal);
    await ended;
  };

  /** Every other call runs at full speed: only writes to the log are stopped at. */
  const startOnFillingDisk = (): ChildProcess => {
    const log = path.join(home, 'events.db-wal');
    const fault = `inject=pwrite64:error=ENOSPC:when=${FULL_FROM}..${FULL_TO}`;
    const strace = ['-f', '--seccomp-bpf', '-o', '/dev/null', '-P', log, '-e', 'trace=pwrite64'];
    const words = [...strace, '-e', fault, process.execPath, MAIN];
    const stdio = ['ignore', 'ignore', 'inherit'] as const;
    return spawn('strace', words, { env: environment, stdio: [...stdio], detached: true });
  };

  const readiness = async (): Promise<RuntimeReport | undefined> => {
    const response = await fetch(`${url}/health/ready`, asOperator).catch(() => undefined);
    return response && ((await response.json()) as RuntimeReport);
  };

  const ask = async (key: string): Promise<Answer> => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({
        model: 'acme/scripted',
        messages: [{ role: 'user', content: 'Tell me of knots.' }],
      }),
    });
    const body = (await response.json()) as { readonly error?: { readonly code: string } };
    const eventId = response.headers.get('x-quipu-event-id');
    return { status: response.status, code: body.error?.code ?? null, eventId };
  };

  it('says so, acknowledges and charges nothing, and continues when there is room', async () => {
    await eventually(async () => (await readiness())?.status === 'ready');
    const { api_key: key } = JSON.parse(
      await readFile(path.join(home, 'bootstrap.json'), 'utf8'),
    ) as { api_key: string };
    const answers: Answer[] = [];
    let report: RuntimeReport | undefined;
    await eventually(async () => {
      const answer = await ask(key);
      answers.push(answer);
      if (answer.status === 503) report ??= await readiness();
      return answers.some(({ status }) => status === 503) && answer.status === 200;
    });
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, code }) => `${status} ${code}`)).toEqual(
      refused.map(() => '503 store_unavailable'),
    );
    expect(report).toMatchObject({ status: 'not_ready', event_store: { writable: false } });
    expect(report?.event_store.reason).toMatch(/full/);
    await eventually(async () => (await readiness())?.status === 'ready');
    await expectBalanced();
    await end('SIGTERM');
    const eventStore = await openSqliteEventStore({ file: path.join(home, 'events.db') });
    const charges = (await Array.fromAsync(eventStore.readAll()))
      .flat()
      .filter(({ type }) => type === 'HoldCaptured');
    await eventStore.close();
    const acknowledged = answers.flatMap(({ eventId }) => (eventId === null ? [] : [eventId]));
    expect(charges.map(({ id }) => id)).toEqual(acknowledged);
  });

  const expectBalanced = async (): Promise<void> => {
    const child = spawn(process.execPath, [CLI, 'ledger', 'check', '--json'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = (await Array.fromAsync(child.stdout)).join('');
    expect(JSON.parse(output)).toMatchObject({ balanced: true, faults: [] });
  };
});
