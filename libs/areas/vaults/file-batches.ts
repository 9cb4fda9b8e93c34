import { Inject, Injectable } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { labelsOf } from '#events/hold.vocabulary.js';
import { FileBatchCreated } from '#events/vaults/vault.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type VaultCaller } from './clearances.js';
import { IngestJobs } from './ingest-jobs.js';
import { type DocumentLabel } from './labels.js';
import { StoredVaults } from './stored-vaults.js';
import { VaultIngest } from './vault-ingest.js';
import { reject } from './vaults.errors.js';

/** As many as an account may have open jobs of ingest. */
export const BATCH_FILES_MAX = 100;

export type FileBatch = FileBatchCreated['data'];

type BatchCommand = { readonly type: 'CreateFileBatch'; readonly data: FileBatch };
type BatchState = { readonly batch: FileBatch | null };

/** The progress of a batch is in the jobs of its files. */
const batchDecider: Decider<BatchCommand, BatchState, FileBatchCreated> = {
  initialState: { batch: null },
  decide: ({ data }, { batch }) => (batch === null ? [FileBatchCreated.of(data)] : []),
  evolve: (_, { data }) => ({ batch: data }),
};

export interface FileToAttach extends Pick<DocumentLabel, 'attributes' | 'chunks'> {
  readonly fileId: string;
}

export interface FileBatchOrder {
  readonly vaultId: string;
  readonly caller: VaultCaller;
  readonly files: readonly FileToAttach[];
  /** Reads the texts one by one: together they may be large. @throws DomainError */
  readonly read: (fileId: string) => Promise<{ readonly name: string; readonly text: string }>;
}

/** Attaches files, each by a job of its own. A repeat of the request is the same batch. */
export class CreateFileBatchCommand extends Command<FileBatch> {
  constructor(
    readonly order: FileBatchOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Cancels the jobs of a batch; attached files stay. */
export class CancelFileBatchCommand extends Command<void> {
  constructor(
    readonly batchId: string,
    readonly vaultId: string,
    readonly accountId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export class FileBatchQuery extends Query<FileBatch> {
  constructor(
    readonly batchId: string,
    readonly vaultId: string,
    readonly accountId: string,
  ) {
    super();
  }
}

type BatchPlace = Pick<FileBatchQuery, 'batchId' | 'vaultId' | 'accountId'>;

/** Batches as events, each in the stream `filebatch-<batchId>`. */
@Injectable()
export class StoredFileBatches {
  readonly #runner: CommandRunner<BatchCommand, BatchState, FileBatchCreated>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const decider = batchDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for([FileBatchCreated]) });
  }

  async create(data: FileBatch, context: CommandContext): Promise<FileBatch> {
    const command = { type: 'CreateFileBatch', data } as const;
    const { state } = await this.#runner.run(streamOf(data.batchId), command, context);
    return state.batch ?? data;
  }

  async known(batchId: string): Promise<FileBatch | null> {
    return (await this.#runner.stateOf(streamOf(batchId))).state.batch;
  }

  /** @throws DomainError `vector_store_batch_not_found`, also for one of another account */
  async find({ batchId, vaultId, accountId }: BatchPlace): Promise<FileBatch> {
    const batch = BATCH_ID.test(batchId) ? await this.known(batchId) : null;
    if (batch?.accountId === accountId && batch.vaultId === vaultId) return batch;
    const detail = 'batch_id: there is no such batch of files in the vector store';
    return reject('vector_store_batch_not_found', detail);
  }
}

const BATCH_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const streamOf = (batchId: string): string => `filebatch-${batchId}`;

@CommandHandler(CreateFileBatchCommand)
export class CreateFileBatchHandler implements ICommandHandler<CreateFileBatchCommand> {
  constructor(
    private readonly batches: StoredFileBatches,
    private readonly vaults: StoredVaults,
    private readonly ingests: VaultIngest,
    private readonly jobs: IngestJobs,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `vault_not_found`; of the first file, where none can be attached */
  async execute({ order, context }: CreateFileBatchCommand): Promise<FileBatch> {
    const { accountId } = order.caller;
    const { vaultId } = (await this.vaults.find(order.vaultId, accountId)).vault;
    const batchId = derivedId('vault file batch', context.requestId);
    const known = await this.batches.known(batchId);
    if (known) return known;
    const files: FileBatch['files'][number][] = [];
    const failures: DomainError[] = [];
    for (const file of order.files) {
      const cause = { id: batchId, correlationId: context.correlationId };
      const own = { ...followUp(cause, file.fileId, context.actor), ...labelsOf(context) };
      const { fileId } = file;
      try {
        files.push({ fileId, ...(await this.#submit(file, order, own)) });
      } catch (error) {
        const failure = failureOf(error);
        failures.push(failure);
        files.push({
          fileId,
          work: null,
          rejection: { code: failure.code, message: failure.detail },
        });
      }
    }
    const [first] = failures;
    if (first && failures.length === files.length) throw first;
    const createdAt = instant(this.clock);
    return this.batches.create({ batchId, vaultId, accountId, files, createdAt }, context);
  }

  async #submit(file: FileToAttach, order: FileBatchOrder, context: CommandContext) {
    const { name: title, text } = await order.read(file.fileId);
    const asked = { vaultId: order.vaultId, title, text, marking: null, file };
    const ingest = await this.ingests.open(asked, order.caller, context);
    const jobId = await this.jobs.submit(ingest, context);
    return { work: { jobId, documentId: ingest.documentId }, rejection: null };
  }
}

/** @throws the error, unless it refuses the file */
const failureOf = (error: unknown): DomainError => {
  if (error instanceof DomainError) return error as DomainError;
  throw error;
};

@CommandHandler(CancelFileBatchCommand)
export class CancelFileBatchHandler implements ICommandHandler<CancelFileBatchCommand> {
  constructor(
    private readonly batches: StoredFileBatches,
    private readonly jobs: IngestJobs,
  ) {}

  /** @throws DomainError `vector_store_batch_not_found` */
  async execute({ batchId, vaultId, accountId, context }: CancelFileBatchCommand): Promise<void> {
    const { files } = await this.batches.find({ batchId, vaultId, accountId });
    for (const { work } of files) {
      if (!work) continue;
      const cause = { id: context.requestId, correlationId: context.correlationId };
      await this.jobs.cancel(work.jobId, followUp(cause, work.jobId, context.actor));
    }
  }
}

@QueryHandler(FileBatchQuery)
export class FileBatchHandler implements IQueryHandler<FileBatchQuery> {
  constructor(private readonly batches: StoredFileBatches) {}

  /** @throws DomainError `vector_store_batch_not_found` */
  execute(query: FileBatchQuery): Promise<FileBatch> {
    return this.batches.find(query);
  }
}
