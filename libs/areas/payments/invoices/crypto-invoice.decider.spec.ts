import { describe, expect, it } from '@jest/globals';
import {
  CryptoInvoiceClosed,
  type CryptoInvoiceEvent,
  CryptoInvoiceExpired,
  CryptoPaymentConfirmed,
  CryptoPaymentDetected,
  CryptoPaymentDropped,
  CryptoPaymentIncluded,
  CryptoPaymentReverted,
} from '#events/payments/crypto-invoice.events.js';
import { type SeenPayment } from '../chains/chain-watcher.port.js';
import { cryptoInvoiceDecider } from './crypto-invoice.decider.js';
import {
  BLOCK,
  created,
  CREATED_AT,
  EXPIRES_AT,
  includedIn,
  invoice,
  INVOICE_ID,
  observing,
  OTHER_BLOCK,
  terms,
  TXID,
  waiting,
  WATCH_UNTIL,
} from './crypto-invoice.fixture.js';
import { statusOf } from './crypto-invoice.state.js';

const NOW = '2026-11-22T10:06:00.000Z';
const BLOCK_AT = '2026-11-22T10:05:00.000Z';
const about = {
  invoiceId: INVOICE_ID,
  accountId: '7',
  createdAt: CREATED_AT,
  network: 'bitcoin',
  txid: TXID,
  output: 1,
} as const;

const detected = CryptoPaymentDetected.of({
  ...about,
  status: 'detected',
  units: '200000',
  block: null,
  paidAt: NOW,
  isLate: false,
  detectedAt: NOW,
});
const included = CryptoPaymentIncluded.of({
  ...about,
  status: 'confirming',
  block: BLOCK,
  includedAt: NOW,
});
const confirmed = CryptoPaymentConfirmed.of({
  ...about,
  status: 'completed',
  currency: 'BTC',
  units: '200000',
  confirmations: 2,
  block: BLOCK,
  priceMicroUsd: '50000000000',
  creditMicroUsd: '100000000',
  confirmedUnits: '200000',
  creditedMicroUsd: '100000000',
  confirmedAt: NOW,
});

const limits = { amountMin: 1_000_000n, amountMax: 10_000_000_000n };
const creating = (change: Partial<typeof terms> = {}) =>
  ({ type: 'CreateCryptoInvoice', data: { ...terms, ...change }, limits }) as const;

describe('a crypto invoice', () => {
  it('is created once', () => {
    invoice.given().when(creating()).then(created);
    invoice.given(created).when(creating()).thenNothing();
  });

  it('is not created with other terms under the same id', () => {
    invoice
      .given(created)
      .when(creating({ amountMicroUsd: '1000000' }))
      .thenThrows('crypto_invoice_conflict');
  });

  it('is for an amount within the limits', () => {
    const small = creating({ amountMicroUsd: '999999' });
    invoice.given().when(small).thenThrows('crypto_amount_too_small');
    const large = creating({ amountMicroUsd: '10000000001' });
    invoice.given().when(large).thenThrows('crypto_amount_too_large');
  });

  it('is observed if it exists', () => {
    invoice.given().when(observing([])).thenThrows('crypto_invoice_not_found');
  });
});

describe('a payment', () => {
  it('is detected, included and confirmed', () => {
    invoice
      .given(created)
      .when(observing([waiting]))
      .then(detected);
    invoice
      .given(created, detected)
      .when(observing([includedIn(BLOCK, 1)]))
      .then(included);
    invoice
      .given(created, detected, included)
      .when(observing([includedIn(BLOCK, 2)]))
      .then(confirmed);
  });

  it('changes nothing when it is seen again', () => {
    invoice
      .given(created, detected)
      .when(observing([waiting]))
      .thenNothing();
    const again = observing([includedIn(BLOCK, 1), includedIn(BLOCK, 1)]);
    invoice.given(created, detected, included).when(again).thenNothing();
    const late = observing([includedIn(BLOCK, 9)]);
    invoice.given(created, detected, included, confirmed).when(late).thenNothing();
  });

  it('is detected and confirmed at once if it has its confirmations when it is first seen', () => {
    const seen = CryptoPaymentDetected.of({
      ...detected.data,
      status: 'confirming',
      block: BLOCK,
      paidAt: BLOCK_AT,
    });
    invoice
      .given(created)
      .when(observing([includedIn(BLOCK, 2)]))
      .then(seen, confirmed);
  });

  it('moves to another block with a reorganisation', () => {
    invoice
      .given(created, detected, included)
      .when(observing([includedIn(OTHER_BLOCK, 1)]))
      .then(CryptoPaymentIncluded.of({ ...included.data, block: OTHER_BLOCK }));
  });

  it('waits again when a reorganisation removes its block', () => {
    invoice
      .given(created, detected, included)
      .when(observing([waiting]))
      .then(
        CryptoPaymentDropped.of({
          ...about,
          status: 'detected',
          isWaiting: true,
          droppedAt: NOW,
        }),
      );
  });

  const gone = CryptoPaymentDropped.of({
    ...about,
    status: 'pending',
    isWaiting: false,
    droppedAt: NOW,
  });

  it('vanishes when another transaction replaces it', () => {
    invoice.given(created, detected).when(observing([])).then(gone);
    invoice.given(created, detected, gone).when(observing([])).thenNothing();
  });

  it('is detected again, as paid when it was first seen', () => {
    const later = '2026-11-22T10:14:00.000Z';
    invoice
      .given(created, detected, gone)
      .when(observing([waiting], later))
      .then(CryptoPaymentDetected.of({ ...detected.data, detectedAt: later }));
  });

  const reverted = CryptoPaymentReverted.of({
    ...about,
    status: 'pending',
    creditedMicroUsd: '100000000',
    revertedAt: NOW,
  });

  it('is reverted when it vanishes after it was credited, and is not credited again', () => {
    const history = [created, detected, included, confirmed];
    invoice
      .given(...history)
      .when(observing([]))
      .then(reverted);
    invoice
      .given(...history, reverted)
      .when(observing([includedIn(OTHER_BLOCK, 2)]))
      .then(
        CryptoPaymentConfirmed.of({ ...confirmed.data, block: OTHER_BLOCK, creditMicroUsd: '0' }),
      );
  });
});

/** The status and the credits after the chain showed these payments, all confirmed. */
const outcomeOf = (
  payments: readonly (readonly [units: bigint, at: string])[],
  {
    price = null,
    now = NOW,
    change = {},
  }: {
    readonly price?: string | null;
    readonly now?: string;
    readonly change?: Partial<typeof terms>;
  } = {},
) => {
  const seen = payments.map(([units, at], index): SeenPayment => {
    const block = { ...BLOCK, at };
    return { txid: `${index}`.repeat(64), output: 0, units, confirmations: 6, block };
  });
  const given: CryptoInvoiceEvent = { ...created, data: { ...terms, ...change } };
  const { decide, evolve, initialState } = cryptoInvoiceDecider;
  const before = evolve(initialState, given);
  const events = decide(observing(seen, now, price), before);
  const credits = events.flatMap(({ type, data }) =>
    type === 'CryptoPaymentConfirmed' ? [data.creditMicroUsd] : [],
  );
  return { status: statusOf(events.reduce(evolve, before)), credits };
};

const IN_TIME = '2026-11-22T10:05:00.000Z';
const LATE = '2026-11-22T11:00:00.000Z';

describe('confirmed payments', () => {
  it('in parts come to the amount of the invoice exactly', () => {
    expect(
      outcomeOf([
        [66_667n, IN_TIME],
        [66_667n, IN_TIME],
        [66_666n, IN_TIME],
      ]),
    ).toEqual({ status: 'completed', credits: ['33333500', '33333500', '33333000'] });
  });

  it('below the amount are credited, and the invoice is underpaid', () => {
    expect(outcomeOf([[199_999n, IN_TIME]])).toEqual({
      status: 'underpaid',
      credits: ['99999500'],
    });
  });

  it('above the amount are credited in full', () => {
    expect(outcomeOf([[300_000n, IN_TIME]])).toEqual({
      status: 'overpaid',
      credits: ['150000000'],
    });
  });

  it('within the tolerance complete the invoice', () => {
    const change = { toleranceUnits: '1000' };
    expect(outcomeOf([[199_000n, IN_TIME]], { change })).toEqual({
      status: 'completed',
      credits: ['100000000'],
    });
    expect(outcomeOf([[198_999n, IN_TIME]], { change }).status).toBe('underpaid');
    expect(outcomeOf([[201_000n, IN_TIME]], { change })).toEqual({
      status: 'completed',
      credits: ['100000000'],
    });
  });

  it('that came late are credited at the present price', () => {
    expect(outcomeOf([[200_000n, LATE]], { price: '25000000000', now: LATE })).toEqual({
      status: 'late',
      credits: ['50000000'],
    });
  });

  it('that came late wait while there is no price', () => {
    expect(outcomeOf([[200_000n, LATE]], { now: LATE })).toEqual({
      status: 'confirming',
      credits: [],
    });
  });

  it('that were in a block before the invoice expired came in time', () => {
    expect(outcomeOf([[200_000n, IN_TIME]], { now: LATE }).status).toBe('completed');
  });
});

describe('the end of an invoice', () => {
  const expired = CryptoInvoiceExpired.of({
    invoiceId: INVOICE_ID,
    accountId: '7',
    createdAt: CREATED_AT,
    status: 'expired',
    confirmedUnits: '0',
    expiredAt: EXPIRES_AT,
  });

  it('comes when the time is over, once', () => {
    invoice.given(created).when(observing([], '2026-11-22T10:14:59.999Z')).thenNothing();
    invoice.given(created).when(observing([], EXPIRES_AT)).then(expired);
    invoice.given(created, expired).when(observing([], EXPIRES_AT)).thenNothing();
  });

  it('does not come to one that is paid', () => {
    invoice
      .given(created, detected, included, confirmed)
      .when(observing([includedIn(BLOCK, 5)], EXPIRES_AT))
      .thenNothing();
  });

  const closedAt = (status: 'expired' | 'completed') =>
    CryptoInvoiceClosed.of({
      invoiceId: INVOICE_ID,
      accountId: '7',
      createdAt: CREATED_AT,
      status,
      closedAt: WATCH_UNTIL,
    });

  it('is followed by the end of watching', () => {
    invoice.given(created, expired).when(observing([], WATCH_UNTIL)).then(closedAt('expired'));
    invoice
      .given(created, detected, included, confirmed)
      .when(observing([includedIn(BLOCK, 150)], WATCH_UNTIL))
      .then(closedAt('completed'));
  });

  it('waits for payments that are unconfirmed', () => {
    const history = [created, detected, expired];
    invoice
      .given(...history)
      .when(observing([waiting], WATCH_UNTIL))
      .thenNothing();
  });

  it('is final', () => {
    const history = [created, expired, closedAt('expired')];
    invoice
      .given(...history)
      .when(observing([waiting], WATCH_UNTIL))
      .thenNothing();
  });
});
