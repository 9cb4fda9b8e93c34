import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type BatchCreated } from '#events/batches/batch.events.js';
import { type BatchSummary } from '#events/batches/batch.job.js';
import { type BatchHoldEvidence } from '#events/batches/batch.evidence.js';
import { JobId } from '#events/jobs/job.events.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { BatchEndpoints } from './batch-endpoints.js';
import { BatchFiles, type BatchInputFile } from './batch-files.port.js';
import { type BatchInput } from './batch-input.js';
import { type InspectedInput, inspectInput } from './batch-inspection.js';
import { BatchRecords } from './batch-records.js';
import { BatchStreams } from './batch-streams.js';
import { batchJob } from './batch.job.js';
import { type BatchesErrorCode } from './batches.errors.js';

/** The `purpose` of an input file. */
export const INPUT_PURPOSE = 'batch';
/** As large as a file with this purpose may be. */
export const INPUT_BYTES_MAX = 200 * 1_024 ** 2;

export interface BatchOrder extends Omit<BatchInput, 'model' | 'lines'> {
  readonly accountId: string;
}

/**
 * Checks the input file, holds the price of its worst case and submits the job. The id of the
 * request becomes the id of the batch, of its job and of its hold: a repetition is the same batch.
 */
export class CreateBatchCommand extends Command<string> {
  constructor(
    readonly order: BatchOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateBatchCommand)
export class CreateBatchHandler implements ICommandHandler<CreateBatchCommand> {
  constructor(
    private readonly endpoints: BatchEndpoints,
    private readonly files: BatchFiles,
    private readonly jobs: Jobs,
    private readonly streams: BatchStreams,
    private readonly records: BatchRecords,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError; `insufficient_balance` before anything of the batch is recorded */
  async execute({ order, context }: CreateBatchCommand): Promise<string> {
    const { accountId, inputFileId, endpoint: path } = order;
    const endpoint = this.endpoints.of(path) ?? unknownEndpoint(path, this.endpoints.paths);
    const content = await usable(await this.files.find(accountId, inputFileId)).content();
    const inspected = await inspectInput(content, path, endpoint, this.clock.now());
    if ('faults' in inspected) {
      const created = await this.#created(order, context, { model: null, lines: 0 });
      const data = { ...created, faults: [...inspected.faults] };
      await this.streams.run({ type: 'RejectInput', data }, context);
      return context.requestId;
    }
    await this.#submit(order, inspected.input, context);
    const data = await this.#created(order, context, inspected.input);
    await this.streams.run({ type: 'CreateBatch', data }, context);
    return context.requestId;
  }

  async #submit(
    { accountId, ...facts }: BatchOrder,
    { model, lines, price, pricedAtMs, held }: InspectedInput,
    context: CommandContext,
  ): Promise<void> {
    const { endpoint, inputFileId } = facts;
    const { rateCardVersion, discountPercent: batchDiscountPercent } = price;
    const summary = { endpoint, inputFileId, model, lines } satisfies BatchSummary;
    const evidence = { ...summary, batchDiscountPercent } satisfies BatchHoldEvidence;
    await this.jobs.submit(
      batchJob,
      {
        jobId: JobId.parse(context.requestId),
        accountId,
        input: { ...facts, model, lines },
        summary,
        models: [model],
        hold: { lines: held, rateCardVersion, evidence },
        pricedAtMs,
      },
      context,
    );
  }

  #created(
    order: BatchOrder,
    { requestId: batchId }: CommandContext,
    { model, lines }: { readonly model: string | null; readonly lines: number },
  ): Promise<BatchCreated['data']> {
    return this.records.created({ ...order, batchId, model, lines });
  }
}

const reject = (code: BatchesErrorCode, detail: string): never => {
  throw new DomainError<BatchesErrorCode>(code, detail);
};

const unknownEndpoint = (path: string, paths: readonly string[]): never =>
  reject('batch_endpoint_unknown', `endpoint ${path} is not one of ${paths.join(', ')}`);

const usable = (file: BatchInputFile | undefined): BatchInputFile => {
  if (!file) return reject('batch_input_not_found', 'input_file_id names no file of the account');
  const { purpose, bytes } = file;
  if (purpose !== INPUT_PURPOSE) {
    reject(
      'batch_input_purpose',
      `the file of input_file_id has the purpose ${purpose}, not batch`,
    );
  }
  if (bytes > INPUT_BYTES_MAX) {
    reject('batch_input_too_large', `the input file is larger than ${INPUT_BYTES_MAX} bytes`);
  }
  return file;
};
