import { describe, it } from '@jest/globals';
import { CryptoPaymentConfirmed } from '#events/payments/crypto-invoice.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { cryptoCreditSaga } from './crypto-credit.saga.js';
import { BLOCK, CREATED_AT, INVOICE_ID, TXID } from './invoices/crypto-invoice.fixture.js';

const confirmed = (creditMicroUsd: string) =>
  CryptoPaymentConfirmed.of({
    invoiceId: INVOICE_ID,
    accountId: '7',
    createdAt: CREATED_AT,
    status: 'completed',
    network: 'bitcoin',
    txid: TXID,
    output: 1,
    currency: 'BTC',
    units: '200000',
    confirmations: 2,
    block: BLOCK,
    priceMicroUsd: '50000000000',
    creditMicroUsd,
    confirmedUnits: '200000',
    creditedMicroUsd: '100000000',
    confirmedAt: '2026-11-22T10:06:00.000Z',
  });

describe('the credit of crypto payments', () => {
  const saga = sagaSpecOf(cryptoCreditSaga);

  it('is one deposit for each output of a transaction', () => {
    saga
      .given()
      .when(confirmed('100000000'))
      .then({
        kind: 'command',
        command: {
          type: 'CreditCryptoPayment',
          data: {
            accountId: '7',
            depositId: `crypto-bitcoin-${TXID}-1`,
            amountMicroUsd: '100000000',
            method: 'crypto',
            reason: `BTC for invoice ${INVOICE_ID}`,
            depositedAt: '2026-11-22T10:06:00.000Z',
          },
        },
      });
  });

  it('is none for a payment that was credited before', () => {
    saga.given().when(confirmed('0')).thenNothing();
  });

  it('ends with the payment', () => {
    saga.given().when(confirmed('1')).thenEnds();
  });
});
