import { describe, expect, it } from '@jest/globals';
import { CryptoPaymentClaimed } from '#events/payments/crypto-payment.events.js';
import { DepositIndexAllocated } from '#events/payments/deposit-key.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { CREATED_AT, INVOICE_ID, TXID } from './crypto-invoice.fixture.js';
import { cryptoPaymentDecider } from './crypto-payment.decider.js';
import { depositKeyDecider } from './deposit-key.decider.js';
import { PaymentLinks } from './payment-links.js';

const OTHER_ID = '01890a5d-ac96-774b-8cce-b302099a8058';

describe('the indexes of a key', () => {
  const key = deciderSpecOf(depositKeyDecider);
  const order = (invoiceId: string) => ({
    fingerprint: '00'.repeat(16),
    invoiceId,
    allocatedAt: CREATED_AT,
  });
  const allocating = (invoiceId: string) =>
    ({ type: 'AllocateIndex', data: order(invoiceId) }) as const;
  const allocated = (invoiceId: string, index: number) =>
    DepositIndexAllocated.of({ ...order(invoiceId), index });

  it('begin with 0 and are used once', () => {
    key.given().when(allocating(INVOICE_ID)).then(allocated(INVOICE_ID, 0));
    key.given(allocated(INVOICE_ID, 0)).when(allocating(OTHER_ID)).then(allocated(OTHER_ID, 1));
  });

  it('stay with their invoice when the request is repeated', () => {
    const history = [allocated(INVOICE_ID, 0), allocated(OTHER_ID, 1)];
    key
      .given(...history)
      .when(allocating(INVOICE_ID))
      .thenNothing();
  });

  it('end before the hardened ones', () => {
    const last = allocated(INVOICE_ID, 2_147_483_647);
    key.given(last).when(allocating(OTHER_ID)).thenThrows('deposit_indexes_exhausted');
  });
});

describe('a payment that names two invoices', () => {
  const claim = (invoiceId: string) => ({
    network: 'solana' as const,
    txid: TXID,
    output: 0,
    invoiceId,
    claimedAt: CREATED_AT,
  });
  const claiming = (invoiceId: string) =>
    ({ type: 'ClaimPayment', data: claim(invoiceId) }) as const;

  it('belongs to the first that claims it', () => {
    const payment = deciderSpecOf(cryptoPaymentDecider);
    const first = CryptoPaymentClaimed.of(claim(INVOICE_ID));
    payment.given().when(claiming(INVOICE_ID)).then(first);
    payment.given(first).when(claiming(OTHER_ID)).thenNothing();
    const { evolve, initialState } = cryptoPaymentDecider;
    const second = CryptoPaymentClaimed.of(claim(OTHER_ID));
    expect([first, second].reduce(evolve, initialState)).toEqual({ invoiceId: INVOICE_ID });
  });
});

describe('the reference of a payment page', () => {
  const links = new PaymentLinks({ key: () => Buffer.alloc(32, 7) });
  const reference = links.referenceOf(INVOICE_ID);

  it('leads to its invoice', () => {
    expect(reference).toMatch(/^[0-9a-f-]{36}\.[\w-]{22}$/);
    expect(links.invoiceOf(reference)).toBe(INVOICE_ID);
  });

  it('cannot be changed in any character', () => {
    for (let at = 0; at < reference.length; at += 1) {
      for (const other of ['A', 'B', '0', '1', '-', '_']) {
        if (other === reference.charAt(at)) continue;
        const changed = reference.slice(0, at) + other + reference.slice(at + 1);
        expect(links.invoiceOf(changed)).toBeNull();
      }
    }
    expect(links.invoiceOf('')).toBeNull();
    expect(links.invoiceOf(OTHER_ID)).toBeNull();
  });
});
