import { describe, expect, it } from '@jest/globals';
import {
  CryptoInvoiceClosed,
  CryptoInvoiceCreated,
  type CryptoInvoiceEvent,
  CryptoInvoiceExpired,
  CryptoPaymentConfirmed,
  CryptoPaymentDetected,
  CryptoPaymentDropped,
  CryptoPaymentIncluded,
  CryptoPaymentReverted,
} from '#events/payments/crypto-invoice.events.js';
import { cryptoInvoices } from './crypto-invoices.projection.js';
import { openCryptoInvoices } from './open-crypto-invoices.projection.js';

const INVOICE_ID = '01890a5d-ac96-774b-8cce-b302099a8057';
const CREATED_AT = '2026-11-22T10:00:00.000Z';
const invoice = { invoiceId: INVOICE_ID, accountId: '7', createdAt: CREATED_AT } as const;
const payment = { ...invoice, network: 'bitcoin', txid: 'aa', output: 1 } as const;
const BLOCK = { hash: 'b1', height: 1 };

const created = CryptoInvoiceCreated.of({
  ...invoice,
  orderId: 'CI-1',
  currency: 'BTC',
  network: 'bitcoin',
  amountMicroUsd: '100000000',
  dueUnits: '200000',
  toleranceUnits: '0',
  priceMicroUsd: '50000000000',
  quotes: [{ source: 'kraken', priceMicroUsd: '50000000000', quotedAt: CREATED_AT }],
  target: { kind: 'address', address: 'bc1q', fingerprint: '00'.repeat(16), index: 0 },
  confirmations: 2,
  returnUrl: null,
  expiresAt: '2026-11-22T10:15:00.000Z',
  watchUntil: '2026-11-23T10:15:00.000Z',
});
const detected = CryptoPaymentDetected.of({
  ...payment,
  status: 'detected',
  units: '200000',
  block: null,
  paidAt: CREATED_AT,
  isLate: false,
  detectedAt: CREATED_AT,
});
const included = CryptoPaymentIncluded.of({
  ...payment,
  status: 'confirming',
  block: BLOCK,
  includedAt: CREATED_AT,
});
const dropped = CryptoPaymentDropped.of({
  ...payment,
  status: 'pending',
  isWaiting: false,
  droppedAt: CREATED_AT,
});
const confirmed = CryptoPaymentConfirmed.of({
  ...payment,
  status: 'completed',
  currency: 'BTC',
  units: '200000',
  confirmations: 2,
  block: BLOCK,
  priceMicroUsd: '50000000000',
  creditMicroUsd: '100000000',
  confirmedUnits: '200000',
  creditedMicroUsd: '100000000',
  confirmedAt: CREATED_AT,
});
const reverted = CryptoPaymentReverted.of({
  ...payment,
  status: 'pending',
  creditedMicroUsd: '100000000',
  revertedAt: CREATED_AT,
});
const expired = CryptoInvoiceExpired.of({
  ...invoice,
  status: 'expired',
  confirmedUnits: '0',
  expiredAt: CREATED_AT,
});
const closed = CryptoInvoiceClosed.of({ ...invoice, status: 'expired', closedAt: CREATED_AT });

describe('a crypto invoice and its payments', () => {
  const after = (...events: readonly CryptoInvoiceEvent[]) =>
    events.reduce(
      (document, event) => cryptoInvoices.project(event, document, INVOICE_ID) ?? document,
      cryptoInvoices.initial(INVOICE_ID),
    );

  it.each([
    [[created], 'pending', []],
    [[created, detected], 'detected', ['detected']],
    [[created, detected, included], 'confirming', ['confirming']],
    [[created, detected, dropped], 'pending', ['dropped']],
    [[created, detected, dropped, detected], 'detected', ['detected']],
    [[created, detected, included, confirmed], 'completed', ['confirmed']],
    [[created, detected, included, confirmed, reverted], 'pending', ['reverted']],
    [[created, expired, closed], 'expired', []],
  ] as const)('after %#: %s', (events, status, states) => {
    const document = after(...(events as readonly CryptoInvoiceEvent[]));
    expect(document.status).toBe(status);
    expect(document.payments.map(({ state }) => state)).toEqual(states);
  });

  it('keep what was credited when a payment is confirmed again', () => {
    const again = CryptoPaymentConfirmed.of({ ...confirmed.data, creditMicroUsd: '0' });
    const document = after(created, detected, included, confirmed, reverted, again);
    expect(document).toMatchObject({
      confirmedUnits: '200000',
      creditedMicroUsd: '100000000',
      payments: [{ creditMicroUsd: '100000000', state: 'confirmed' }],
    });
  });

  it('of an account are listed by their age, and found by their ids', () => {
    const inList = `7/${CREATED_AT}/${INVOICE_ID}`;
    expect(cryptoInvoices.keys(created)).toEqual([INVOICE_ID, inList]);
    expect(cryptoInvoices.keys(closed)).toEqual([INVOICE_ID, inList]);
  });
});

describe('the open crypto invoices', () => {
  type Event = Parameters<typeof openCryptoInvoices.project>[0];
  const after = (...events: readonly Event[]) =>
    events.reduce<ReturnType<typeof openCryptoInvoices.project>>(
      (document, event) => openCryptoInvoices.project(event, document ?? initial, ''),
      initial,
    );
  const initial = openCryptoInvoices.initial('');

  it('await their payment until it is confirmed or they expire', () => {
    expect(after(created)).toEqual({ terms: created.data, isAwaited: true });
    expect(after(created, confirmed)).toMatchObject({ isAwaited: false });
    expect(after(created, expired)).toMatchObject({ isAwaited: false });
  });

  it('are watched until they are closed', () => {
    expect(after(created, expired, closed)).toBeNull();
  });

  it('of an account have keys that stand together', () => {
    expect(openCryptoInvoices.keys(created)).toEqual([`7/${INVOICE_ID}`]);
    expect(openCryptoInvoices.keys(closed)).toEqual([`7/${INVOICE_ID}`]);
  });
});
