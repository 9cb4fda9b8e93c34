import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { readSettings } from '#apps/composition/settings.js';
import { OPERATIONS_TOKEN } from '#apps/operations/operations.fixture.js';
import { type Standalone, startStandalone } from '#apps/processes/standalone.process.js';
import { JobId } from '#events/jobs/job.events.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { areas as planted } from '../planted/areas.js';
import { Loom, loomsArea, weavingJob } from './looms.fixture.js';
import { eventually } from './quipu.harness.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The folder of the commands that ship. */
export const COMMANDS = path.join(ROOT, 'apps/cli');
/** Of the first user, an Admin. */
export const ACCOUNT = '1';
export const areas = [...planted, loomsArea];

export interface ShownJob {
  readonly id: string;
  readonly state: string;
}

type Request = RequestInit & { readonly key?: string };

/** A running Quipu whose jobs of the type `weaving` go on when a test lets them. */
export class JobsWorld {
  #home = '';
  #standalone: Standalone | undefined;
  #admin = '';

  get standalone(): Standalone {
    if (!this.#standalone) throw new Error('begin() comes first');
    return this.#standalone;
  }

  /** The key of an Admin. */
  get admin(): string {
    return this.#admin;
  }

  async begin(): Promise<void> {
    this.#home = await mkdtemp(path.join(tmpdir(), 'quipu-jobs-'));
    await this.start();
    const text = await readFile(path.join(this.#home, 'bootstrap.json'), 'utf8');
    this.#admin = (JSON.parse(text) as Bootstrap).api_key;
  }

  async start(): Promise<void> {
    const settings = readSettings(this.environment(), areas);
    this.#standalone = await startStandalone(settings, pino({ level: 'silent' }), {
      areas,
      httpFolders: [path.join(ROOT, 'apps/gateway'), path.join(ROOT, 'test/planted/gateway')],
    });
  }

  async end(): Promise<void> {
    await this.#standalone?.stop();
    await rm(this.#home, { recursive: true });
  }

  environment(): NodeJS.ProcessEnv {
    return {
      QUIPU_HOME: this.#home,
      QUIPU_CATALOG: path.join(ROOT, 'catalog.yaml'),
      QUIPU_LOG_LEVEL: 'silent',
      QUIPU_DRAIN_SECONDS: '1',
      QUIPU_KEEP_ALIVE_SECONDS: '1',
      QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN,
      PORT: '0',
    };
  }

  readonly ask = (way: string, { key = this.#admin, ...more }: Request = {}): Promise<Response> =>
    fetch(`${this.standalone.url}/api/v1/jobs${way}`, {
      ...more,
      headers: { authorization: `Bearer ${key}`, ...(more.headers as Record<string, string>) },
    });

  readonly jobOf = async (id: string): Promise<ShownJob> => {
    const answer = (await (await this.ask(`/${id}`)).json()) as { readonly job: ShownJob };
    return answer.job;
  };

  readonly isIn = (id: string, state: string): Promise<void> =>
    eventually(async () => (await this.jobOf(id)).state === state);

  readonly loom = (): Loom => this.standalone.app.get(Loom, { strict: false });

  readonly weave = async (rows: number): Promise<JobId> => {
    const jobId = JobId.parse(randomUUID());
    const order = { jobId, accountId: ACCOUNT, input: { rows }, summary: { rows }, hold: null };
    const jobs = this.standalone.app.get(Jobs, { strict: false });
    await jobs.submit(weavingJob, order, contextOf(jobId, 'test'));
    return jobId;
  };
}
