import { JobId } from '#events/jobs/job.events.js';
import {
  ChangeJobCommand,
  CompleteJobCommand,
  EndAttemptCommand,
  ReportProgressCommand,
} from '#platform/jobs/job.commands.js';
import { type JobOrder } from '#platform/jobs/jobs.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { ACCOUNT, idOf, type JobsWorld } from './jobs-world.fixture.js';
import { rowLine, rows } from './weaving.fixture.js';

export const HOST = 'loom-1';

export const jobIdOf = (number: number): JobId => JobId.parse(idOf(number));

/** An order that holds `held` rows. */
export const orderOf = (number: number, held = 100): JobOrder<{ readonly pattern: string }> => ({
  jobId: jobIdOf(number),
  accountId: ACCOUNT,
  input: { pattern: `pattern ${number}` },
  summary: { rows: held },
  hold: { lines: [rowLine(held)], rateCardVersion: 4, evidence: { pattern: 'plain' } },
});

/** Who reports, and under which message. */
interface Said {
  readonly attempt?: number;
  readonly host?: string;
  readonly context?: CommandContext;
}

/** The reports of the dispatcher and the hosts on a job. */
export class JobOnHosts {
  #sequence = 0;

  constructor(
    private readonly world: JobsWorld,
    readonly jobId: JobId,
  ) {}

  async dispatch({ attempt = 1, host = HOST, context = this.world.request() }: Said = {}) {
    const dispatchedAt = this.world.now();
    const startBy = new Date(this.world.clock.now() + 30_000).toISOString();
    const data = { jobId: this.jobId, attempt, host, dispatchedAt, startBy };
    await this.#execute(new ChangeJobCommand({ type: 'DispatchJob', data }, context));
  }

  async start({ attempt = 1, host = HOST, context = this.world.request() }: Said = {}) {
    const data = { jobId: this.jobId, attempt, host, startedAt: this.world.now() };
    await this.#execute(new ChangeJobCommand({ type: 'StartAttempt', data }, context));
  }

  /** Dispatches and starts the attempt. */
  async begin(said: Said = {}) {
    await this.dispatch(said);
    await this.start(said);
  }

  async progress(
    done: number,
    { attempt = 1, host = HOST, context = this.world.request() }: Said = {},
    sequence = (this.#sequence += 1),
  ) {
    const ofAttempt = { jobId: this.jobId, attempt, host };
    const shown = { rows: done };
    const checkpoint = { kind: 'json', value: { rows: done } } as const;
    const progressedAt = this.world.now();
    const facts = { sequence, done, total: 100, shown, checkpoint, usage: [rows(done)] };
    const data = { ...ofAttempt, ...facts, progressedAt };
    await this.#execute(new ReportProgressCommand(data, context));
  }

  async complete(
    woven: number,
    { attempt = 1, host = HOST, context = this.world.request() }: Said = {},
  ) {
    const result = { kind: 'json', value: { cloth: `${woven} rows` } } as const;
    const ofAttempt = { jobId: this.jobId, attempt, host };
    const facts = { result, shown: { rows: woven }, usage: [rows(woven)] };
    const data = { ...ofAttempt, ...facts, completedAt: this.world.now() };
    await this.#execute(new CompleteJobCommand(data, context));
  }

  async end(
    reason: 'failed' | 'lost' | 'drained',
    code: string = reason,
    { attempt = 1, host = HOST, context = this.world.request() }: Said = {},
  ) {
    const message = 'a thread tore';
    const endedAt = this.world.now();
    const data = { jobId: this.jobId, attempt, host, reason, code, message, endedAt };
    await this.#execute(new EndAttemptCommand(data, context));
  }

  async #execute(command: Parameters<JobsWorld['process']['execute']>[0]): Promise<void> {
    await this.world.process.execute(command);
  }
}

/** Submits a job that holds a number of rows. */
export const submitted = async (world: JobsWorld, number: number, held = 100) => {
  await world.process.service.submit(world.type, orderOf(number, held), world.request());
  return new JobOnHosts(world, jobIdOf(number));
};
