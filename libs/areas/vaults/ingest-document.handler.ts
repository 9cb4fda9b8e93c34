import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type VaultCaller } from './clearances.js';
import { evidenceOf, IngestJobs } from './ingest-jobs.js';
import { textOf } from './marking.js';
import { reasonOf } from './search-vault.handler.js';
import { TextVectorizer } from './text-vectors.port.js';
import { type Embedded, type IngestOrder, type OpenIngest, VaultIngest } from './vault-ingest.js';
import { vaultIngestProduct } from './vault.product.js';
import { VAULT_SETTINGS, type VaultSettings } from './vaults.settings.js';

/** A document with more chunks is ingested by a job, unless it is a file of a vector store. */
export const CHUNKS_IN_REQUEST_MAX = 64;

export interface PaidIngestOrder extends PaidOrder {
  readonly ingest: IngestOrder;
  readonly caller: VaultCaller;
}

export interface IngestAnswer {
  readonly vaultId: string;
  readonly documentId: string;
  readonly marking: string;
  readonly chunks: number;
  /** Null for a document that a job ingests: it has its own charge. */
  readonly done: {
    readonly promptTokens: number;
    readonly entry: LedgerEntry;
  } | null;
  readonly jobId: string | null;
}

/** Brings a document into a vault: at once, or by a job where it is long. */
export class IngestDocumentCommand extends Command<IngestAnswer> {
  constructor(
    readonly order: PaidIngestOrder,
    /** Aborted with a `RequestCutError` when this process stops or the request takes too long. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@CommandHandler(IngestDocumentCommand)
export class IngestDocumentHandler implements ICommandHandler<IngestDocumentCommand> {
  constructor(
    private readonly ingests: VaultIngest,
    private readonly vectorizer: TextVectorizer,
    private readonly paid: PaidRequests,
    private readonly ingestJobs: IngestJobs,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError, RequestCutError, errors of the vectorizer */
  async execute({ order, signal }: IngestDocumentCommand): Promise<IngestAnswer> {
    const { ingest: asked, caller, ...paidOrder } = order;
    const ingest = await this.ingests.open(asked, caller, order.context);
    const { vaultId, documentId, chunks } = ingest;
    const answer = { vaultId, documentId, marking: textOf(ingest.marking), chunks: chunks.length };
    // A vector store has no state for a file that a job ingests, so its caller waits.
    return chunks.length > CHUNKS_IN_REQUEST_MAX && !asked.file
      ? { ...answer, done: null, jobId: await this.ingestJobs.submit(ingest, order.context) }
      : { ...answer, done: await this.#ingest(ingest, paidOrder, signal), jobId: null };
  }

  async #ingest(ingest: OpenIngest, order: PaidOrder, signal: AbortSignal) {
    const pricedAtMs = this.clock.now();
    const evidence = evidenceOf(ingest);
    const held = await this.paid.admit(
      { ...order, signal },
      {
        ...{ purpose: vaultIngestProduct.purpose, ...this.ingests.held(ingest, pricedAtMs) },
        ...{ evidence, pricedAtMs, requestMsMax: this.settings.requestMsMax },
      },
    );
    const embedded = await this.#embed(ingest, order, held, signal);
    const entry = await held.capture({
      ...held.charged(this.ingests.charged(ingest, embedded, pricedAtMs)),
      ...{ usageSource: 'counted', outcome: 'completed', evidence },
    });
    return { promptTokens: embedded.promptTokens, entry };
  }

  async #embed(
    ingest: OpenIngest,
    { context }: PaidOrder,
    held: HeldRequest,
    signal: AbortSignal,
  ): Promise<Embedded> {
    let embedded: Embedded = { promptTokens: 0, rig: '' };
    try {
      for await (const progress of this.ingests.run(ingest, signal, context)) {
        ({ embedded } = progress);
      }
      return embedded;
    } catch (error) {
      await held.release(reasonOf(error, signal, this.vectorizer));
      throw cutOf(signal) ?? error;
    }
  }
}
