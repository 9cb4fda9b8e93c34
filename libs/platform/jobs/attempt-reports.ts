import { setTimeout as sleep } from 'node:timers/promises';
import { BUS_BACK_OFF } from '#platform/bus/back-off.js';
import { backOffMs } from '#platform/kernel/back-off.js';
import {
  attemptFailureOf,
  type JobAttemptEnd,
  ReportRejectedError,
  ReportTooLargeError,
} from './attempt-failure.js';
import { type AnyJobType, type Finished, type Progress } from './job-type.js';
import { type Assignment, type JobReport } from './job.protocol.js';
import { type ReportSink } from './report-sink.js';

export interface AttemptReportsOptions {
  readonly assignment: Assignment;
  readonly host: string;
  readonly type: AnyJobType;
  readonly sink: ReportSink;
  /** The shortest time between two reports of progress. */
  readonly progressMs: number;
  /** Called when the last progress can never be reported. */
  readonly onRejected: (error: unknown) => void;
  /** Called when a report has to wait; once for consecutive failures. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The reports of one attempt, in order: that it has started, its progress, and its end. Progress
 * that comes faster than it may be reported, or while the way to the log is closed, is merged: the
 * latest counts, and it is reported before the end. A report is repeated until it is accepted.
 */
export class AttemptReports {
  readonly #first: JobReport[] = [];
  #progress: Progress | null = null;
  #isDue = false;
  #due: NodeJS.Timeout | undefined;
  #sequence = 0;
  #end: JobReport | null = null;
  #sending: Promise<void> | undefined;
  readonly #abandoned = new AbortController();

  constructor(private readonly options: AttemptReportsOptions) {}

  started(): void {
    this.#first.push({ kind: 'started', ...this.#identity() });
    this.#sendSoon();
  }

  /** @param progress not changed afterwards */
  progressed(progress: Progress): void {
    this.#progress = progress;
    if (this.#due) return;
    this.#isDue = true;
    this.#due = setTimeout(() => {
      this.#due = undefined;
      if (this.#progress) this.progressed(this.#progress);
    }, this.options.progressMs);
    this.#sendSoon();
  }

  /** Resolves when everything is reported, or was abandoned. */
  completed({ result, shown, usage }: Finished<unknown>): Promise<void> {
    const end = { result: { json: result }, shown: { ...shown }, usage: [...usage] };
    return this.#finish({ kind: 'completed', ...this.#identity(), ...end });
  }

  /** Resolves when everything is reported, or was abandoned. */
  ended(end: JobAttemptEnd): Promise<void> {
    return this.#finish({ kind: 'ended', ...this.#identity(), ...end });
  }

  /** Reports nothing more. */
  abandon(): void {
    clearTimeout(this.#due);
    this.#abandoned.abort();
  }

  #identity() {
    const { assignment, host } = this.options;
    const { jobId, accountId, type, attempt } = assignment;
    return { jobId, accountId, type, attempt, host };
  }

  async #finish(end: JobReport): Promise<void> {
    clearTimeout(this.#due);
    this.#isDue = true;
    this.#end = end;
    this.#sendSoon();
    await this.#sending;
  }

  #sendSoon(): void {
    this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    // Reports of the same turn of the event loop are merged.
    await Promise.resolve();
    for (let report = this.#next(); report; report = this.#next()) await this.#deliver(report);
    this.#sending = undefined;
  }

  #next(): JobReport | null {
    if (this.#abandoned.signal.aborted) return null;
    const first = this.#first.shift();
    if (first) return first;
    if (this.#progress && this.#isDue) return this.#takeProgress(this.#progress);
    const end = this.#end;
    this.#end = null;
    return end;
  }

  #takeProgress({ done, total, shown, checkpoint, usage }: Progress): JobReport {
    this.#progress = null;
    this.#isDue = this.#end !== null;
    this.#sequence += 1;
    return {
      kind: 'progressed',
      ...this.#identity(),
      sequence: this.#sequence,
      done,
      total,
      shown: { ...shown },
      checkpoint: checkpoint === null ? null : { json: checkpoint },
      usage: [...usage],
    };
  }

  async #deliver(report: JobReport): Promise<void> {
    const { sink, type, onRejected, onFailure } = this.options;
    for (let failures = 0; !this.#abandoned.signal.aborted; failures += 1) {
      try {
        await sink.send(report);
        return;
      } catch (error) {
        if (error instanceof ReportTooLargeError || error instanceof ReportRejectedError) {
          if (report.kind === 'completed') {
            const end = attemptFailureOf(type, error);
            this.#end = { kind: 'ended', ...this.#identity(), ...end };
          } else if (report.kind !== 'ended') onRejected(error);
          return;
        }
        if (failures === 0) onFailure(error);
        await this.#rest(backOffMs(BUS_BACK_OFF, failures + 1, Math.random()));
      }
    }
  }

  /** Ends early when the attempt is abandoned. */
  async #rest(ms: number): Promise<void> {
    const { signal } = this.#abandoned;
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }
}
