import { describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { isSignedByStripe } from './stripe-signature.js';

const SECRET = 'whsec_3f9a1c7be24d5f60';
const NOW_MS = Date.parse('2026-11-26T10:00:00.000Z');
const SECONDS = NOW_MS / 1_000;
const BODY = '{"id":"evt_1","object":"event"}';
const stripe = new Stripe('sk_test_none');

/** As the SDK of Stripe signs it. */
const signed = (more: { readonly timestamp?: number; readonly secret?: string } = {}): string =>
  stripe.webhooks.generateTestHeaderString({
    payload: BODY,
    secret: SECRET,
    timestamp: SECONDS,
    ...more,
  });

const accepts = (header: string | undefined, body = BODY): boolean =>
  isSignedByStripe(header, Buffer.from(body), SECRET, NOW_MS);

describe('the signature of an event of Stripe', () => {
  it('is accepted as the SDK of Stripe writes it', () => {
    expect(accepts(signed())).toBe(true);
  });

  it('is accepted beside one by another secret', () => {
    const [, other] = signed({ secret: 'whsec_another' }).split(',');
    const [time, own] = signed().split(',');
    expect(accepts(`${time},${other},${own}`)).toBe(true);
  });

  it.each([
    ['a header that is missing', undefined],
    ['another secret', signed({ secret: 'whsec_another' })],
    ['an instant of more than five minutes ago', signed({ timestamp: SECONDS - 301 })],
    ['an instant that is to come', signed({ timestamp: SECONDS + 301 })],
    ['a timestamp that is no number', signed().replace(/t=\d+/, 't=now')],
    ['a signature that is cut', signed().slice(0, -2)],
    ['a signature of another scheme', signed().replace('v1=', 'v0=')],
  ])('is rejected: %s', (_name, header) => {
    expect(accepts(header)).toBe(false);
  });

  it('is rejected for another body', () => {
    expect(accepts(signed(), `${BODY} `)).toBe(false);
  });
});
