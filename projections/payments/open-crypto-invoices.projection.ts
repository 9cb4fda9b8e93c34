import {
  CryptoInvoiceClosed,
  CryptoInvoiceCreated,
  CryptoInvoiceExpired,
  CryptoPaymentConfirmed,
} from '#events/payments/crypto-invoice.events.js';
import { type Projection } from '#platform/kernel/projection.js';

type Opening = CryptoInvoiceCreated | CryptoPaymentConfirmed | CryptoInvoiceExpired;
type OpenInvoiceEvent = Opening | CryptoInvoiceClosed;

export interface OpenCryptoInvoice {
  readonly terms: CryptoInvoiceCreated['data'] | null;
  /** Whether the invoice still expects its payment; the chain is watched in any case. */
  readonly isAwaited: boolean;
}

const project = (
  { type, data }: OpenInvoiceEvent,
  document: OpenCryptoInvoice,
): OpenCryptoInvoice | null => {
  switch (type) {
    case 'CryptoInvoiceCreated':
      return { terms: data, isAwaited: true };
    case 'CryptoPaymentConfirmed': {
      const isPaid = data.status === 'completed' || data.status === 'overpaid';
      return { ...document, isAwaited: document.isAwaited && !isPaid };
    }
    case 'CryptoInvoiceExpired':
      return { ...document, isAwaited: false };
    case 'CryptoInvoiceClosed':
      return null;
  }
};

/** For which invoices are the chains watched? Keys of an account are adjacent. */
export const openCryptoInvoices: Projection<OpenInvoiceEvent, OpenCryptoInvoice> = {
  name: 'open-crypto-invoices',
  version: 1,
  on: { CryptoInvoiceCreated, CryptoPaymentConfirmed, CryptoInvoiceExpired, CryptoInvoiceClosed },
  keys: ({ data }) => [`${data.accountId}/${data.invoiceId}`],
  initial: () => ({ terms: null, isAwaited: false }),
  project,
};
