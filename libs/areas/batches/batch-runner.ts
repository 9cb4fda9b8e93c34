import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type BatchProgress } from '#events/batches/batch.job.js';
import { BatchId } from '#events/batches/batch.events.js';
import {
  type Finished,
  type JobAttempt,
  type JobRunner,
  type Progress,
} from '#platform/jobs/job-type.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import {
  type BatchCheckpoint,
  countsOf,
  doubtsIn,
  finishedLines,
  NO_PARTS,
  usageOf,
} from './batch-checkpoint.js';
import { BatchEndpoints } from './batch-endpoints.js';
import { BatchFiles } from './batch-files.port.js';
import { type BatchInput } from './batch-input.js';
import { type BatchItem, LINE_BYTES_MAX, readItem } from './batch-item.js';
import { BatchParts } from './batch-parts.js';
import { BatchRecords } from './batch-records.js';
import { BatchStreams } from './batch-streams.js';
import { BATCH_SETTINGS, type BatchSettings } from './batches.settings.js';
import { linesOf } from './jsonl.js';
import { ItemWork } from './item-work.js';
import { ResultPages } from './result-pages.js';

/** Parts of a large batch are larger: its checkpoint names about 500 of them. */
const PARTS_WANTED = 500;
const PART_LINES = { min: 10, max: 100 };
const PART_CHARACTERS = 4 * 1_024 * 1_024;
/** A finished line waits so long for others: this work is repeated after a crash. */
const PART_WAIT_MS = 15_000;

type Attempt = JobAttempt<BatchInput, BatchCheckpoint>;

/** The batch cannot go on; `code` is one of the failures that the job type declares. */
export class BatchInputError extends Error {
  override readonly name = 'BatchInputError';

  constructor(
    readonly code: 'input_file_missing' | 'input_file_changed',
    message: string,
  ) {
    super(message);
  }
}

/**
 * One attempt of a batch: runs the lines that no part has, many at once, and stores their results
 * in parts. The progress names a part only after it is stored.
 */
@Injectable()
export class BatchRunner implements JobRunner<
  BatchInput,
  BatchProgress,
  BatchCheckpoint,
  BatchCheckpoint
> {
  constructor(
    private readonly endpoints: BatchEndpoints,
    private readonly files: BatchFiles,
    private readonly parts: BatchParts,
    private readonly streams: BatchStreams,
    private readonly records: BatchRecords,
    private readonly areas: Areas,
    @Inject(BATCH_SETTINGS) private readonly settings: BatchSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async *run(
    attempt: Attempt,
    signal: AbortSignal,
  ): AsyncGenerator<Progress<BatchProgress, BatchCheckpoint>, Finished<BatchCheckpoint>, void> {
    await this.#record(attempt);
    const { lines: total } = attempt.input;
    let checkpoint = attempt.checkpoint ?? NO_PARTS;
    const owner = { userId: attempt.input.userId, batchId: attempt.jobId };
    for await (const page of this.#results(attempt, checkpoint, signal)) {
      const part = await this.parts.store(owner, page);
      checkpoint = { parts: [...checkpoint.parts, part] };
      yield progressOf(checkpoint, total);
    }
    signal.throwIfAborted();
    const { done, shown, usage } = progressOf(checkpoint, total);
    if (done !== total) {
      const message = `the input file has ${done} of ${total} lines`;
      throw new BatchInputError('input_file_changed', message);
    }
    return { result: checkpoint, shown, usage };
  }

  /** A crash after the submission of the job may have left the batch out of the log. */
  async #record({ jobId, accountId, input }: Attempt): Promise<void> {
    const batchId = BatchId.parse(jobId);
    const created = await this.records.created({ ...input, batchId, accountId });
    await this.streams.run({ type: 'CreateBatch', data: created }, contextOf(batchId, 'create'));
    const startedAt = instant(this.clock);
    await this.streams.run(
      { type: 'StartBatch', data: { batchId, startedAt } },
      contextOf(batchId, 'start'),
    );
  }

  /** Pages of results of the unfinished lines. After an abort, the last ones that finished. */
  async *#results(attempt: Attempt, checkpoint: BatchCheckpoint, signal: AbortSignal) {
    const { lines: total } = attempt.input;
    const wanted = Math.ceil(total / PARTS_WANTED);
    const pages = new ResultPages({
      resultsMax: Math.min(PART_LINES.max, Math.max(PART_LINES.min, wanted)),
      charactersMax: PART_CHARACTERS,
      waitMsMax: PART_WAIT_MS,
    });
    const stop = new AbortController();
    const stopping = AbortSignal.any([signal, stop.signal]);
    const work = this.#workOf(attempt);
    const lines = this.#unfinished(attempt, checkpoint);
    const lane = async (): Promise<void> => {
      while (!stopping.aborted) {
        const next = await lines.next();
        if (next.done) return;
        await pages.add(await work.run(next.value, stopping));
      }
    };
    const lanes = Array.from({ length: this.settings.linesAtOnce }, () =>
      lane().catch((error: unknown) => {
        if (!stopping.aborted) stop.abort(error);
      }),
    );
    const ended = Promise.all(lanes).then(() => pages.close());
    try {
      yield* pages.pages();
      stop.signal.throwIfAborted();
    } finally {
      stop.abort();
      await ended;
      await lines.return();
    }
  }

  #workOf({ jobId: batchId, accountId, submittedAt, input }: Attempt): ItemWork {
    const endpoint = this.endpoints.of(input.endpoint);
    if (!endpoint) throw new Error(`no area declares the batch endpoint ${input.endpoint}`);
    return new ItemWork({
      batchId,
      accountId,
      pricedAtMs: Date.parse(submittedAt),
      endpoint,
      meanings: this.areas.meanings(),
      backOff: this.settings.lineBackOff,
      onDefect: (line, error) =>
        this.logger.error({ err: error, batch: batchId, line }, 'a line of a batch has failed'),
    });
  }

  async *#unfinished(
    { accountId, input }: Attempt,
    checkpoint: BatchCheckpoint,
  ): AsyncGenerator<BatchItem, void, void> {
    const { endpoint, inputFileId } = input;
    const file = await this.files.find(accountId, inputFileId);
    if (!file) {
      throw new BatchInputError('input_file_missing', `the file ${inputFileId} was deleted`);
    }
    const isFinished = finishedLines(checkpoint);
    for await (const page of linesOf(await file.content(), LINE_BYTES_MAX)) {
      for (const from of page) {
        if (isFinished(from.number)) continue;
        const read = readItem(from, endpoint);
        if ('line' in read) yield read.line;
        else throw new BatchInputError('input_file_changed', read.fault.message);
      }
    }
  }
}

const progressOf = (
  checkpoint: BatchCheckpoint,
  total: number,
): Progress<BatchProgress, BatchCheckpoint> => {
  const counts = countsOf(checkpoint, total);
  const done = counts.completed + counts.failed;
  const shown = { ...counts, ...doubtsIn(checkpoint) };
  return { done, total, shown, checkpoint, usage: usageOf(checkpoint) };
};

const contextOf = (batchId: string, step: string): CommandContext =>
  followUp({ id: batchId, correlationId: batchId }, step, 'system');
