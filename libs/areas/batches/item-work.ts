import { setTimeout as sleep } from 'node:timers/promises';
import { AbortedItemError } from '#platform/batches/aborted-item.js';
import { type BatchEndpoint } from '#platform/batches/batch-endpoint.js';
import { JobOverError } from '#platform/jobs/job-type.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import {
  describedBy,
  type FailureDescription,
  type Meanings,
} from '#platform/runtime/areas/failure.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { type BatchItem } from './batch-item.js';
import { abortedResult, failedResult, finishedResult, type ItemResult } from './item-result.js';

/** Runs of a line whose failure may pass. */
export const LINE_RUNS_MAX = 3;

const DEFECT: FailureDescription = {
  status: 500,
  code: 'internal_error',
  message: 'internal error; the operator finds the cause by the id of the line',
};

export interface ItemWorkOptions {
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
export class ItemWork {
  constructor(private readonly options: ItemWorkOptions) {}

  /**
   * A failure is a result, too. What runs the line may be away for long: the line is tried again
   * until the signal aborts. After the end of the job, what a rig has begun is a result as well.
   * @throws the reason of the signal
   */
  async run(line: BatchItem, signal: AbortSignal): Promise<ItemResult> {
    const { batchId, accountId, pricedAtMs, endpoint, backOff } = this.options;
    const requestId = derivedId(`line ${line.number}`, batchId);
    const request = { requestId, accountId, pricedAtMs, body: line.body };
    for (let runs = 1; ; runs += 1) {
      try {
        return finishedResult(line, requestId, await endpoint.run(request, signal));
      } catch (error) {
        const isOver = signal.reason instanceof JobOverError;
        if (isOver && error instanceof AbortedItemError) {
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

  #failureOf(line: BatchItem, error: unknown): FailureDescription {
    if (error instanceof RejectedRequestError) return error.failure;
    const described = describedBy(error, this.options.meanings);
    if (described) return described;
    this.options.onDefect(line.number, error);
    return DEFECT;
  }
}
