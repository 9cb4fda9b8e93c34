import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { areas as shipped } from '#apps/composition/areas.js';
import { readSettings } from '#apps/composition/settings.js';
import { type Gateway, startGateway } from '#apps/processes/gateway.process.js';
import { JobId } from '#events/jobs/job.events.js';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { startEventStoreNode } from '../servers/event-store/event-store.server.js';
import { startKafka } from '../servers/kafka/kafka.server.js';
import { SuiteDatabases } from '../servers/mongodb/suite-databases.js';
import { type TestServer } from '../servers/test-server.js';
import { eventually } from './kafka.fixture.js';
import { ROW_MICRO_USD, weavingArea, weavingJob } from './weaving.area.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PROGRAM = path.join(import.meta.dirname, 'jobs.member.ts');
/** Longer than a process on a busy machine waits for the CPU. */
const SESSION_MS = 3_000;

/** A process of the fleet, which the spec may end without a word. */
class Member {
  #child: ChildProcess | undefined;

  constructor(
    readonly name: string,
    private readonly role: 'worker' | 'projector',
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && !this.#child.signalCode;
  }

  async start(): Promise<void> {
    const environment = { PATH: process.env['PATH'], ...this.environment };
    const child = spawn(process.execPath, [PROGRAM, this.role], {
      env: { ...environment, QUIPU_INSTANCE: this.name, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${this.name} ended`)));
    await Promise.race([once(child.stdout, 'data'), ended]);
    ended.catch(() => undefined);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || !this.isRunning) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}

describe('jobs on Kafka', () => {
  let home: string;
  let node: TestServer;
  let kafka: TestServer;
  let databases: SuiteDatabases;
  let database: string;
  let gateway: Gateway;
  let projector: Member;
  let workers: readonly Member[];

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-jobs-'));
    [node, kafka, databases] = await Promise.all([
      startEventStoreNode(),
      startKafka(),
      SuiteDatabases.start(),
    ]);
    database = databases.newUrl();
    const environment = {
      QUIPU_HOME: home,
      QUIPU_CATALOG: path.join(ROOT, 'catalog.yaml'),
      QUIPU_LOG_LEVEL: 'silent',
      QUIPU_EVENT_STORE: node.url,
      QUIPU_READ_STORE: database,
      QUIPU_BUS: `${kafka.url}?session_ms=${SESSION_MS}`,
      QUIPU_WORKER_ENGINES: 'weaving',
      QUIPU_LEASE_TTL_MS: '3000',
      QUIPU_LEASE_RENEW_MS: '1000',
      QUIPU_JOB_SILENCE_SECONDS: '4',
    };
    const areas = [...shipped, weavingArea];
    const settings = readSettings({ ...environment, QUIPU_INSTANCE: 'gateway', PORT: '0' }, areas);
    const options = { subscriptions: 'elsewhere', areas } as const;
    const member = (name: string, role: 'worker' | 'projector') =>
      new Member(name, role, environment);
    projector = member('projector', 'projector');
    workers = [member('worker-1', 'worker'), member('worker-2', 'worker')];
    const starting = projector.start();
    gateway = await startGateway(settings, pino({ level: 'silent' }), options);
    await Promise.all([starting, ...workers.map((one) => one.start())]);
  });

  afterAll(async () => {
    await Promise.all([projector, ...workers].map((one) => one.kill()));
    await gateway.stop();
    await databases.remove(database);
    await Promise.all([node.stop(), kafka.stop(), databases.stop()]);
    await rm(home, { recursive: true });
  });

  const submit = async (rows: number, pauseMs: number, yarn: 'wool' | 'poison' = 'wool') => {
    const jobId = JobId.parse(randomUUID());
    const line = { meter: 'rows', quantity: rows, unitPriceMicroUsd: `${ROW_MICRO_USD}` };
    const order = {
      jobId,
      accountId: '1',
      input: { rows, pauseMs, yarn },
      summary: { rows },
      hold: { lines: [{ ...line, perUnits: 1 }], rateCardVersion: 1, evidence: {} },
    };
    const jobs = gateway.app.get<Jobs>(Jobs, { strict: false });
    await jobs.submit(weavingJob, order, contextOf(randomUUID(), 'spec'));
    return jobId;
  };

  const eventsOf = async (jobId: string): Promise<readonly RecordedEvent[]> => {
    const store = gateway.app.get<EventStore>(EVENT_STORE, { strict: false });
    return (await Array.fromAsync(store.read(`job-${jobId}`))).flat();
  };

  const becomes = (jobId: string, type: string) =>
    eventually(`${type} of ${jobId}`, async () =>
      (await eventsOf(jobId)).some((event) => event.type === type),
    );

  const dataOf = async (jobId: string, type: string): Promise<readonly object[]> =>
    (await eventsOf(jobId)).flatMap((event) => (event.type === type ? [event.data] : []));

  /** The job has ended once and is charged once, for all of its rows. */
  const expectCharged = async (jobId: JobId, rows: number): Promise<void> => {
    await becomes(jobId, 'JobSettled');
    expect(await dataOf(jobId, 'JobCompleted')).toMatchObject([
      { usage: [{ meter: 'rows', quantity: rows }] },
    ]);
    const amountMicroUsd = `${rows * ROW_MICRO_USD}`;
    expect(await dataOf(jobId, 'JobSettled')).toMatchObject([
      { outcome: 'charged', amountMicroUsd },
    ]);
    const [submitted] = await dataOf(jobId, 'JobSubmitted');
    const { holdId } = (submitted as { readonly hold: { readonly holdId: string } }).hold;
    const store = gateway.app.get<EventStore>(EVENT_STORE, { strict: false });
    const filter = { by: 'type', prefixes: ['HoldCaptured'] } as const;
    const captured = (await Array.fromAsync(store.readAll({ filter })))
      .flat()
      .filter(({ data }) => (data as { readonly holdId: string }).holdId === holdId);
    expect(captured).toHaveLength(1);
    const jobs = gateway.app.get<Jobs>(Jobs, { strict: false });
    expect(await jobs.result(weavingJob, jobId)).toEqual({ rows });
  };

  const hostOf = async (jobId: string): Promise<Member | undefined> => {
    const dispatched = await dataOf(jobId, 'JobDispatched');
    const { host } = dispatched.at(-1) as { readonly host: string };
    return workers.find(({ name }) => name === host);
  };

  it('resume on another worker when theirs is killed, and are charged once', async () => {
    const jobId = await submit(30, 100);
    await becomes(jobId, 'JobProgressed');
    const host = await hostOf(jobId);
    await host?.kill();
    await expectCharged(jobId, 30);
    expect(await dataOf(jobId, 'JobAttemptEnded')).toMatchObject([{ reason: 'lost' }]);
    expect(await dataOf(jobId, 'JobDispatched')).toHaveLength(2);
    await host?.start();
  });

  it.each(['JobDispatched', 'JobProgressed', 'JobCompleted'])(
    'go on when the projector is killed behind %s',
    async (type) => {
      const jobId = await submit(15, 100);
      await becomes(jobId, type);
      await projector.kill();
      await projector.start();
      await expectCharged(jobId, 15);
      expect(await dataOf(jobId, 'JobStarted')).toHaveLength(1);
      // A projector that is back after `startBy` dispatches again, where no host has started.
      const [, ...again] = await dataOf(jobId, 'JobDispatched');
      const missed = again.map(() => ({ reason: 'not_started' }));
      expect(await dataOf(jobId, 'JobAttemptEnded')).toMatchObject(missed);
    },
  );

  it('go on when Kafka is killed and restarted', async () => {
    const jobId = await submit(20, 100);
    await becomes(jobId, 'JobProgressed');
    await kafka.kill();
    const waiting = await submit(3, 10);
    await kafka.restart();
    await expectCharged(jobId, 20);
    await expectCharged(waiting, 3);
  });

  it('that end every worker fail as often as their type allows, and cost nothing', async () => {
    const poisoned = await submit(5, 10, 'poison');
    await becomes(poisoned, 'JobSettled');
    expect(await dataOf(poisoned, 'JobFailed')).toMatchObject([{ code: 'host_lost' }]);
    expect(await dataOf(poisoned, 'JobDispatched')).toHaveLength(2);
    expect(await dataOf(poisoned, 'JobSettled')).toMatchObject([{ outcome: 'free' }]);
    expect(workers.filter(({ isRunning }) => isRunning)).toEqual([]);
    await Promise.all(workers.map((one) => one.start()));
    await expectCharged(await submit(3, 10), 3);
  });
});
