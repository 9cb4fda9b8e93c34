import { setTimeout as sleep } from 'node:timers/promises';
import { AbortedLineError } from '#platform/batches/aborted-line.js';
import { type BatchEndpoint } from '#platform/batches/batch-endpoint.js';
import { JobOverError } from '#platform/jobs/job-type.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import {
  describedBy,
  type FailureDescription,
  type Meanings,
} from '#platform/runtime/areas/failure.js';
import { RefusedRequestError } from '#platform/runtime/commands/refused-request.js';
import { type BatchLine } from './batch-line.js';
import { abortedResult, failedResult, finishedResult, type LineResult } from './line-result.js';

/** Runs of a line whose failure may pass. */
export const LINE_RUNS_MAX = 3;

const DEFECT: FailureDescription = {
  status: 500,
  code: 'internal_error',
  message: 'internal error; the operator finds the cause by the id of the line',
};

export interface LineWorkOptions {
  readonly batchId: string;
  readonly accountId: string;
  /** Of the prices, in milliseconds since the Unix epoch. */
  readonly pricedAtMs: number;
  readonly endpoint: BatchEndpoint;
  readonly meanings: Meanings;
  readonly onDefect: (line: number, error: unknown) => void;
  readonly backOff: BackOff;
}

/** Runs lines of one batch. */
export class LineWork {
  constructor(private readonly options: LineWorkOptions) {}

  /**
   * A failure is a result, too. What runs the line may be away for long: the line is tried again
   * until the signal aborts. After the end of the job, what a rig has begun is a result as well.
   * @throws the reason of the signal
   */
  async run(line: BatchLine, signal: AbortSignal): Promise<LineResult> {
    const { batchId, accountId, pricedAtMs, endpoint, backOff } = this.options;
    const requestId = derivedId(`line ${line.number}`, batchId);
    const request = { requestId, accountId, pricedAtMs, body: line.body };
    for (let runs = 1; ; runs += 1) {
      try {
        return finishedResult(line, requestId, await endpoint.run(request, signal));
      } catch (error) {
        const isOver = signal.reason instanceof JobOverError;
        if (isOver && error instanceof AbortedLineError) {
          return abortedResult(line, requestId, error);
        }
        signal.throwIfAborted();
        const retry = endpoint.retryOf(error);
        if (retry === 'never' || (retry === 'limited' && runs >= LINE_RUNS_MAX)) {
          return failedResult(line, requestId, this.#failureOf(line, error));
        }
        await sleep(backOffMs(backOff, Math.min(runs, 16), Math.random()), undefined, { signal });
      }
    }
  }

  #failureOf(line: BatchLine, error: unknown): FailureDescription {
    if (error instanceof RefusedRequestError) return error.failure;
    const described = describedBy(error, this.options.meanings);
    if (described) return described;
    this.options.onDefect(line.number, error);
    return DEFECT;
  }
}
