import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type CryptoInvoiceCreated } from '#events/payments/crypto-invoice.events.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  accountInvoices,
  type CryptoInvoiceDocument,
  cryptoInvoices,
} from '#projections/payments/crypto-invoices.projection.js';
import { reject } from '../payments.errors.js';

export interface FoundCryptoInvoice extends Omit<CryptoInvoiceDocument, 'terms'> {
  readonly terms: CryptoInvoiceCreated['data'];
  readonly position: bigint;
}

/** A crypto invoice, as of a state of the log. */
export class CryptoInvoiceQuery extends Query<FoundCryptoInvoice> {
  constructor(
    readonly invoiceId: string,
    /** Null for a payer, who needs no account. */
    readonly accountId: string | null,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(CryptoInvoiceQuery)
export class CryptoInvoiceHandler implements IQueryHandler<CryptoInvoiceQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  /** @throws DomainError `crypto_invoice_not_found`, also for an invoice of another account */
  async execute({ invoiceId, accountId, asOf }: CryptoInvoiceQuery): Promise<FoundCryptoInvoice> {
    const reader = await this.projections.at(asOf);
    const { document, position } = await reader.get(cryptoInvoices, invoiceId);
    const terms = document?.terms;
    if (!terms || (accountId !== null && terms.accountId !== accountId)) {
      return reject('crypto_invoice_not_found', `there is no crypto invoice ${invoiceId}`);
    }
    return { ...document, terms, position };
  }
}

export interface CryptoInvoicePage {
  /** The last one first. */
  readonly invoices: readonly Omit<FoundCryptoInvoice, 'position'>[];
  readonly total: number;
  readonly position: bigint;
}

/** A page of the crypto invoices of an account. */
export class CryptoInvoicesQuery extends Query<CryptoInvoicePage> {
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

@QueryHandler(CryptoInvoicesQuery)
export class CryptoInvoicesHandler implements IQueryHandler<CryptoInvoicesQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  async execute({ accountId, page, limit, asOf }: CryptoInvoicesQuery): Promise<CryptoInvoicePage> {
    const reader = await this.projections.at(asOf);
    const { documents, total, position } = await numberedPage(reader, cryptoInvoices, {
      prefix: accountInvoices(accountId),
      direction: 'backwards',
      page,
      limit,
    });
    const invoices = documents.flatMap(({ document: { terms, ...rest } }) =>
      terms ? [{ ...rest, terms }] : [],
    );
    return { invoices, total, position };
  }
}
