import { describe, expect, it } from '@jest/globals';
import { movementIn } from './stripe-event.js';

const eventOf = (type: string, object: object): object => ({
  id: 'evt_1',
  object: 'event',
  type,
  data: { object },
});

const PAYMENT = {
  id: 'pi_1',
  object: 'payment_intent',
  amount: 5_000,
  amount_received: 5_000,
  currency: 'usd',
  metadata: { quipu_account: '7', order: '12' },
};
const DISPUTE = { id: 'dp_1', payment_intent: 'pi_1', amount: 1_234, currency: 'usd' };

describe('an event of Stripe', () => {
  it.each([
    [
      'payment_intent.succeeded',
      PAYMENT,
      { kind: 'paid', paymentId: 'pi_1', accountId: '7', amount: 50_000_000n },
    ],
    [
      'charge.refunded',
      { id: 'ch_1', payment_intent: 'pi_1', amount_refunded: 1, currency: 'usd' },
      { kind: 'refund', paymentId: 'pi_1', total: 10_000n },
    ],
    [
      'charge.dispute.funds_withdrawn',
      DISPUTE,
      { kind: 'chargeback', paymentId: 'pi_1', total: 12_340_000n },
    ],
    [
      'charge.dispute.funds_reinstated',
      DISPUTE,
      { kind: 'reinstated', paymentId: 'pi_1', disputeId: 'dp_1', amount: 12_340_000n },
    ],
    // The funds are withdrawn by another event, or never: an inquiry is a dispute too.
    ['charge.dispute.created', DISPUTE, null],
    ['charge.dispute.closed', DISPUTE, null],
    ['customer.created', { id: 'cus_1' }, null],
  ])('%s', (type, object, movement) => {
    expect(movementIn(eventOf(type, object))).toEqual(movement);
  });

  it.each([
    ['no account', { metadata: {} }, 'data.object.metadata.quipu_account'],
    ['an account in capitals', { metadata: { quipu_account: 'A' } }, 'metadata.quipu_account'],
    ['another currency', { currency: 'eur' }, 'expected usd, received eur'],
    ['an amount below zero', { amount_received: -1 }, 'data.object.amount_received'],
    ['an amount of half a cent', { amount_received: 0.5 }, 'data.object.amount_received'],
    ['an id of another kind', { id: 'ch_1' }, 'data.object.id'],
  ])('is rejected: %s', (_name, more, named) => {
    const event = eventOf('payment_intent.succeeded', { ...PAYMENT, ...more });
    expect(() => movementIn(event)).toThrow(named);
  });

  it.each([[null], [[]], ['text'], [{ type: 'charge.refunded' }]])('is no %j', (event) => {
    expect(() => movementIn(event)).toThrow('expected an event of Stripe');
  });
});
