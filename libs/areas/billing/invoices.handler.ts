import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { type InvoiceRecord, invoices } from '#projections/billing/invoices.projection.js';

export interface InvoicePage {
  /** Newest first. */
  readonly records: readonly InvoiceRecord[];
  readonly total: number;
  readonly position: bigint;
}

/** One page of an account's deposits and monthly usage statements. */
export class InvoicesQuery extends Query<InvoicePage> {
  constructor(
    readonly accountId: string,
    /** From 1. */
    readonly page: number,
    readonly limit: number,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(InvoicesQuery)
export class InvoicesHandler implements IQueryHandler<InvoicesQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Projections) {}

  async execute({ accountId, page, limit, asOf }: InvoicesQuery): Promise<InvoicePage> {
    const reader = await this.projections.at(asOf);
    const prefix = `${accountId}/`;
    const { documents, total, position } = await numberedPage(reader, invoices, {
      prefix,
      direction: 'backwards',
      page,
      limit,
    });
    const records = documents.map(({ document }) => document);
    return { records, total, position };
  }
}
