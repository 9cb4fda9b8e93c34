import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type RentalExit, type RentalProgress } from '#events/rentals/rental.job.js';
import {
  type Finished,
  type JobAttempt,
  type JobRunner,
  type Progress,
} from '#platform/jobs/job-type.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { RentalEngines } from '../engines/rental-engines.js';
import { type RentalEngine, type RunningProgram } from '../engines/rental-engine.js';
import { type RentalInput } from '../rental-input.js';
import { RENTAL_SETTINGS, type RentalSettings } from '../rentals.settings.js';
import { OutputLog } from './output-log.js';
import { RentalFolders } from './rental-folders.js';

/** A crash of the host loses the charge of at most this time. */
const REPORT_MS = 5_000;

type Step = Progress<RentalProgress, null>;
type Attempt = JobAttempt<RentalInput, null>;

/** Runs the program of a rental until it ends, or the rental does. */
@Injectable()
export class RentalRunner implements JobRunner<RentalInput, RentalProgress, null, RentalExit> {
  constructor(
    private readonly engines: RentalEngines,
    private readonly folders: RentalFolders,
    private readonly streams: JobStreams,
    @Inject(RENTAL_SETTINGS)
    private readonly settings: Pick<RentalSettings, 'limits' | 'graceMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async *run(
    attempt: Attempt,
    signal: AbortSignal,
  ): AsyncGenerator<Step, Finished<RentalExit>, void> {
    const engine = await this.engines.pick();
    const { log: logFile, stateFile } = await this.folders.create(attempt.jobId);
    // Programs of an attempt of a lost process have ended before this one is charged.
    await engine.reap(attempt.jobId, stateFile);
    const log = await OutputLog.open(logFile);
    try {
      const program = await this.#start(engine, attempt, log);
      try {
        return yield* this.#follow(engine, program, attempt, log, signal);
      } finally {
        await program.stop(0);
      }
    } finally {
      await log.close();
    }
  }

  #start(
    engine: RentalEngine,
    { jobId, attempt, input }: Attempt,
    log: OutputLog,
  ): Promise<RunningProgram> {
    const { workspace, stateFile } = this.folders.of(jobId);
    const { command, environment, image, firstPort, lastPort } = input;
    log.note(`attempt ${attempt} starts, with the ports ${firstPort} to ${lastPort}`);
    const [name, ...words] = command;
    return engine.start({
      rentalId: jobId,
      command: [name, ...words],
      environment,
      image,
      firstPort,
      lastPort,
      limits: this.settings.limits,
      workspace,
      stateFile,
      onOutput: (piece) => log.append(piece),
    });
  }

  async *#follow(
    { kind }: RentalEngine,
    program: RunningProgram,
    attempt: Attempt,
    log: OutputLog,
    signal: AbortSignal,
  ): AsyncGenerator<Step, Finished<RentalExit>, void> {
    const startedMs = this.clock.now();
    const before = attempt.usage.find(({ meter }) => meter === 'seconds')?.quantity ?? 0;
    const { isLimited } = program;
    /** A second that has begun counts. */
    const stepNow = (): Step => {
      const seconds = before + Math.ceil((this.clock.now() - startedMs) / 1_000);
      const shown = { seconds, engine: kind, isLimited };
      const usage = [{ meter: 'seconds', quantity: seconds }];
      return { done: seconds, total: null, shown, checkpoint: null, usage };
    };
    for (;;) {
      const exit = await nextExit(program.exited, signal);
      if (exit) {
        log.note(`the program ended: ${textOf(exit)}`);
        const { usage } = stepNow();
        return { result: exit, shown: { ...exit }, usage };
      }
      if (signal.aborted) {
        log.note(`the rental stops ${await this.#reasonOf(attempt.jobId)}`);
        await program.stop(this.settings.graceMs);
        yield stepNow();
        throw signal.reason;
      }
      yield stepNow();
    }
  }

  /** For the renter, who may read it in the log of the rental. */
  async #reasonOf(rentalId: string): Promise<string> {
    const job = await this.streams.stateOf(rentalId).catch(() => null);
    if (job?.status === 'paused') return 'because the account is out of funds';
    if (job?.status === 'cancelling' || job?.status === 'cancelled') return 'as it was asked to';
    return 'because its host stops, or its time is over';
  }
}

/** Null when a report is due, or the signal has aborted. */
const nextExit = async (
  exited: Promise<RentalExit>,
  signal: AbortSignal,
): Promise<RentalExit | null> => {
  const waiting = new AbortController();
  const both = AbortSignal.any([signal, waiting.signal]);
  const due = sleep(REPORT_MS, null, { signal: both }).catch(() => null);
  const exit = await Promise.race([exited, due]);
  waiting.abort();
  return exit;
};

const textOf = ({ exitCode, signal }: RentalExit): string =>
  exitCode === null ? `by ${signal ?? 'an error'}` : `exit code ${exitCode}`;
