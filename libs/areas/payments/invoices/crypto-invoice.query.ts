import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type CryptoInvoiceCreated } from '#events/payments/crypto-invoice.events.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  type CryptoInvoiceDocument,
  cryptoInvoices,
} from '#projections/payments/crypto-invoices.projection.js';
import { reject } from '../payments.errors.js';

export interface FoundCryptoInvoice extends Omit<CryptoInvoiceDocument, 'terms'> {
  readonly terms: CryptoInvoiceCreated['data'];
  readonly position: bigint;
}

/** A crypto invoice, as of the log's head. */
export class CryptoInvoiceQuery extends Query<FoundCryptoInvoice> {
  constructor(
    readonly invoiceId: string,
    /** Null for a payer, who needs no account. */
    readonly accountId: string | null,
  ) {
    super();
  }
}

@QueryHandler(CryptoInvoiceQuery)
export class CryptoInvoiceHandler implements IQueryHandler<CryptoInvoiceQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>) {}

  /** @throws DomainError `crypto_invoice_not_found`, also for an invoice of another account */
  async execute({ invoiceId, accountId }: CryptoInvoiceQuery): Promise<FoundCryptoInvoice> {
    const { document, position } = await this.projections.get(cryptoInvoices, invoiceId);
    const terms = document?.terms;
    if (!terms || (accountId !== null && terms.accountId !== accountId)) {
      return reject('crypto_invoice_not_found', `there is no crypto invoice ${invoiceId}`);
    }
    return { ...document, terms, position };
  }
}
