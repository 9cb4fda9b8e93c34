import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  batchesOfAccount,
  batchesPrefix,
  batchOfAccountKey,
} from '#projections/batches/batches-of-account.projection.js';
import { type BatchDocument, batches } from '#projections/batches/batches.projection.js';
import { type BatchMetadata, BatchRecords } from './batch-records.js';
import { type BatchesErrorCode } from './batches.errors.js';
import { notFound } from './cancel-batch.handler.js';

/** A batch with its metadata opened. */
export interface ShownBatch extends Omit<BatchDocument, 'created'> {
  readonly created: NonNullable<BatchDocument['created']>;
  readonly metadata: BatchMetadata | null;
}

export interface BatchPage {
  /** Newest first. */
  readonly batches: readonly ShownBatch[];
  readonly hasMore: boolean;
}

export class BatchQuery extends Query<ShownBatch> {
  constructor(
    readonly accountId: string,
    readonly batchId: string,
  ) {
    super();
  }
}

@QueryHandler(BatchQuery)
export class BatchQueryHandler implements IQueryHandler<BatchQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly records: BatchRecords,
  ) {}

  /** @throws DomainError `batch_not_found`, for the batch of another account too */
  async execute({ accountId, batchId }: BatchQuery): Promise<ShownBatch> {
    const { document } = await this.projections.get(batches, batchId);
    const shown = await shownOf(document, this.records);
    if (shown?.created.accountId !== accountId) throw notFound();
    return shown;
  }
}

export class BatchesQuery extends Query<BatchPage> {
  constructor(
    readonly accountId: string,
    readonly limit: number,
    /** The batch after which the page starts; null for the newest. */
    readonly after: string | null,
  ) {
    super();
  }
}

@QueryHandler(BatchesQuery)
export class BatchesQueryHandler implements IQueryHandler<BatchesQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly records: BatchRecords,
  ) {}

  /** @throws DomainError `batch_cursor_unknown` */
  async execute({ accountId, limit, after }: BatchesQuery): Promise<BatchPage> {
    const before = after === null ? {} : { before: await this.#keyOf(accountId, after) };
    const { documents } = await this.projections.list(batchesOfAccount, {
      prefix: batchesPrefix(accountId),
      direction: 'backwards',
      limit: limit + 1,
      ...before,
    });
    const ids = documents.slice(0, limit).map(({ document }) => document.batchId);
    const found = await Promise.all(ids.map((id) => this.projections.get(batches, id)));
    const shown = await Promise.all(found.map(({ document }) => shownOf(document, this.records)));
    return {
      batches: shown.filter((one) => one !== undefined),
      hasMore: documents.length > limit,
    };
  }

  async #keyOf(accountId: string, batchId: string): Promise<string> {
    const { document } = await this.projections.get(batches, batchId);
    const created = document?.created;
    if (created?.accountId === accountId) {
      return batchOfAccountKey(accountId, created.createdAt, batchId);
    }
    const detail = 'after names no batch of the account';
    throw new DomainError<BatchesErrorCode>('batch_cursor_unknown', detail);
  }
}

const shownOf = async (
  document: BatchDocument | undefined,
  records: BatchRecords,
): Promise<ShownBatch | undefined> => {
  if (!document?.created) return undefined;
  const { created } = document;
  return { ...document, created, metadata: await records.metadataOf(created) };
};
