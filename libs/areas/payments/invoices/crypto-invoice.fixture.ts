import { CryptoInvoiceCreated } from '#events/payments/crypto-invoice.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type SeenPayment } from '../chains/chain-watcher.port.js';
import { cryptoInvoiceDecider } from './crypto-invoice.decider.js';

export const INVOICE_ID = '01890a5d-ac96-774b-8cce-b302099a8057';
export const CREATED_AT = '2026-11-22T10:00:00.000Z';
export const EXPIRES_AT = '2026-11-22T10:15:00.000Z';
export const WATCH_UNTIL = '2026-11-23T10:15:00.000Z';

/** 100 USD at 50,000 USD for a bitcoin. */
export const terms: CryptoInvoiceCreated['data'] = {
  invoiceId: INVOICE_ID,
  accountId: '7',
  orderId: 'ci-01890a5dac96',
  currency: 'BTC',
  network: 'bitcoin',
  amountMicroUsd: '100000000',
  dueUnits: '200000',
  toleranceUnits: '0',
  priceMicroUsd: '50000000000',
  quotes: [{ source: 'kraken', priceMicroUsd: '50000000000', quotedAt: CREATED_AT }],
  target: {
    kind: 'address',
    address: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    fingerprint: '0123456789abcdef0123456789abcdef',
    index: 0,
  },
  confirmations: 2,
  returnUrl: null,
  createdAt: CREATED_AT,
  expiresAt: EXPIRES_AT,
  watchUntil: WATCH_UNTIL,
};

export const created = CryptoInvoiceCreated.of(terms);

export const invoice = deciderSpecOf(cryptoInvoiceDecider);

export const TXID = 'aa'.repeat(32);
export const BLOCK = { hash: 'b1'.repeat(32), height: 800_000 };
export const OTHER_BLOCK = { hash: 'b2'.repeat(32), height: 800_001 };

/** A payment of the whole amount that waits for a block. */
export const waiting: SeenPayment = {
  txid: TXID,
  output: 1,
  units: 200_000n,
  confirmations: 0,
  block: null,
};

export const includedIn = (
  block: typeof BLOCK,
  confirmations: number,
  payment: SeenPayment = waiting,
): SeenPayment => ({
  ...payment,
  confirmations,
  block: { ...block, at: '2026-11-22T10:05:00.000Z' },
});

export const observing = (
  payments: readonly SeenPayment[],
  observedAt = '2026-11-22T10:06:00.000Z',
  latePriceMicroUsd: string | null = null,
) =>
  ({
    type: 'ObservePayments',
    data: { invoiceId: INVOICE_ID, payments, observedAt, latePriceMicroUsd },
  }) as const;
