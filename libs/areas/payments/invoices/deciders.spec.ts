import { describe, expect, it } from '@jest/globals';
import { CryptoPaymentClaimed } from '#events/payments/crypto-payment.events.js';
import { DepositIndexAllocated, DepositIndexUsed } from '#events/payments/deposit-key.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { CREATED_AT, INVOICE_ID, TXID } from './crypto-invoice.fixture.js';
import { cryptoPaymentDecider } from './crypto-payment.decider.js';
import { depositKeyDecider } from './deposit-key.decider.js';
import { PaymentLinks } from './payment-links.js';

const OTHER_ID = '01890a5d-ac96-774b-8cce-b302099a8058';

describe('the indexes of a key', () => {
  const key = deciderSpecOf(depositKeyDecider);
  const order = (invoiceId: string, accountId = '7') => ({
    fingerprint: '00'.repeat(16),
    invoiceId,
    accountId,
    allocatedAt: CREATED_AT,
  });
  const limits = { gapMax: 5, gapOfAccountMax: 3 };
  const allocating = (invoiceId: string, accountId = '7') =>
    ({ type: 'AllocateIndex', data: order(invoiceId, accountId), limits }) as const;
  const allocated = (invoiceId: string, index: number, accountId = '7') =>
    DepositIndexAllocated.of({ ...order(invoiceId, accountId), index });
  const use = (index: number) => ({ fingerprint: '00'.repeat(16), index, usedAt: CREATED_AT });
  const used = (index: number) => DepositIndexUsed.of(use(index));
  /** Invoices without a payment, of these accounts. */
  const unpaid = (...accounts: readonly string[]) =>
    accounts.map((accountId, index) => allocated(`invoice ${index}`, index, accountId));

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

  it('are bounded for an account after the last one with a payment', () => {
    const history = unpaid('7', '7', '8', '7');
    const more = allocating(OTHER_ID);
    key
      .given(...history)
      .when(more)
      .thenThrows('too_many_unpaid_crypto_invoices');
    key
      .given(...history)
      .when(allocating(OTHER_ID, '8'))
      .then(allocated(OTHER_ID, 4, '8'));
    // A payment of any account moves the end of the gap.
    key
      .given(...history, used(2))
      .when(more)
      .then(allocated(OTHER_ID, 4));
  });

  it('are bounded for a wallet after the last one with a payment', () => {
    const history = unpaid('1', '2', '3', '4', '5');
    key
      .given(...history)
      .when(allocating(OTHER_ID))
      .thenThrows('deposit_gap_reached');
    key
      .given(...history, used(0))
      .when(allocating(OTHER_ID))
      .then(allocated(OTHER_ID, 5));
  });

  it('are used once, and a payment before a later one changes nothing', () => {
    const history = unpaid('1', '2', '3');
    const using = (index: number) => ({ type: 'UseIndex', data: use(index) }) as const;
    key
      .given(...history)
      .when(using(1))
      .then(used(1));
    key
      .given(...history, used(1))
      .when(using(1))
      .thenNothing();
    key
      .given(...history, used(1))
      .when(using(0))
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
