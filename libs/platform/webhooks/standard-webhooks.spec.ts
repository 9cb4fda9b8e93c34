import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from '@jest/globals';
import { isSigned, keyOf, newWebhookSecret, signatureOf } from './standard-webhooks.js';

const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';

describe('the signature of a webhook', () => {
  it('reproduces the published vector', () => {
    const message = { id: ID, timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
    expect(signatureOf(message, keyOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'))).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('is accepted by the verifier of Standard Webhooks, which rejects any other', () => {
    const secret = newWebhookSecret();
    const timestamp = Math.floor(Date.now() / 1_000);
    const body = JSON.stringify({ type: 'invoice.completed', data: { amount: '5 €' } });
    const headers = {
      'webhook-id': ID,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf({ id: ID, timestamp, body }, keyOf(secret)),
    };
    const verifier = new Webhook(secret);
    expect(verifier.verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => verifier.verify(body.replace('5', '6'), headers)).toThrow();
    expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'msg_other' })).toThrow();
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow();
  });

  it('has a secret of 256 bits', () => {
    const [prefix, encoded = ''] = newWebhookSecret().split('_');
    expect([prefix, Buffer.from(encoded, 'base64').length]).toEqual(['whsec', 32]);
  });
});

describe('a webhook that was received', () => {
  const key = keyOf(newWebhookSecret());
  const NOW_MS = 1_795_000_000_000;
  const body = Buffer.from('{"invoice_id":"1"}');
  const timestamp = NOW_MS / 1_000;
  const signature = signatureOf({ id: ID, timestamp, body }, key);
  const headers = { id: ID, timestamp: String(timestamp), signature };

  it('is accepted with its signature, also beside others', () => {
    expect(isSigned(headers, body, key, NOW_MS)).toBe(true);
    const several = { ...headers, signature: `v1,AAAA v1a,BBBB ${signature}` };
    expect(isSigned(several, body, key, NOW_MS)).toBe(true);
  });

  it('is accepted from the libraries of Standard Webhooks', () => {
    const theirs = new Webhook(`whsec_${key.toString('base64')}`);
    const signed = theirs.sign(ID, new Date(NOW_MS), body.toString());
    expect(isSigned({ ...headers, signature: signed }, body, key, NOW_MS)).toBe(true);
  });

  it.each([
    ['no id', { id: undefined }],
    ['another id', { id: 'msg_other' }],
    ['no timestamp', { timestamp: undefined }],
    ['another timestamp', { timestamp: String(timestamp + 1) }],
    ['a timestamp with a fraction', { timestamp: `${timestamp}.0` }],
    ['no signature', { signature: undefined }],
    ['an empty signature', { signature: '' }],
    ['a part of the signature', { signature: signature.slice(0, -1) }],
    ['another version', { signature: signature.replace('v1', 'v2') }],
  ])('is rejected with %s', (_, change) => {
    expect(isSigned({ ...headers, ...change }, body, key, NOW_MS)).toBe(false);
  });

  it('is rejected with another body and with another key', () => {
    expect(isSigned(headers, Buffer.from('{"invoice_id":"2"}'), key, NOW_MS)).toBe(false);
    expect(isSigned(headers, body, keyOf(newWebhookSecret()), NOW_MS)).toBe(false);
  });

  it('is rejected when it is more than five minutes old, or from the future', () => {
    expect(isSigned(headers, body, key, NOW_MS + 300_000)).toBe(true);
    expect(isSigned(headers, body, key, NOW_MS + 300_001)).toBe(false);
    expect(isSigned(headers, body, key, NOW_MS - 300_001)).toBe(false);
  });
});
