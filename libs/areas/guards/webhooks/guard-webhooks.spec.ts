import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isSigned, keyOf, newWebhookSecret } from '#platform/webhooks/standard-webhooks.js';
import { type Direction, type WebhookRule } from '../rules/guard-rule.js';
import { GuardWebhooks } from './guard-webhooks.js';

const NOW = Date.parse('2026-11-26T10:00:00.000Z');
const WORK = { accountId: '7', model: 'acme/m', requestId: null };
const secret = newWebhookSecret();

describe('the webhook of a rule', () => {
  let server: Server;
  let url: string;
  let webhooks: GuardWebhooks;
  let received: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
  let answer: { readonly status: number; readonly body: string } | null;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
        if (!answer) return;
        response.writeHead(answer.status, { location: '/elsewhere' });
        response.end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    webhooks = new GuardWebhooks({ secret }, { now: () => NOW });
  });

  beforeEach(() => {
    received = [];
  });

  afterAll(async () => {
    await webhooks.onApplicationShutdown();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ruleOf = (more: Partial<WebhookRule['webhook']> = {}): WebhookRule => ({
    id: 'dlp',
    does: 'redact',
    on: ['request', 'answer'],
    failsOpen: false,
    webhook: { url, allowsPrivate: true, timeoutMs: 2_000, windowUnits: 512, ...more },
  });
  const ask = (given: typeof answer, rule = ruleOf(), on: Direction = 'request') => {
    answer = given;
    return webhooks.verdictOf(rule, WORK, ['one', 'two'], on);
  };
  const ok = (body: unknown) => ({ status: 200, body: JSON.stringify(body) });

  it('has in the type of the message whether it reads an answer', async () => {
    await ask(ok({ matches: 0 }), ruleOf(), 'answer');
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ type: 'guard.answer' });
  });

  it('gets the texts in a signed message, and answers with its verdict', async () => {
    const verdict = { matches: 1, texts: ['one', '[it]'] };
    expect(await ask(ok(verdict))).toEqual(verdict);
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    expect(JSON.parse(body)).toEqual({
      type: 'guard.request',
      timestamp: '2026-11-26T10:00:00.000Z',
      account_id: '7',
      data: { rule: 'dlp', model: 'acme/m', request_id: null, texts: ['one', 'two'] },
    });
    const said = {
      id: String(headers['webhook-id']),
      timestamp: String(headers['webhook-timestamp']),
      signature: String(headers['webhook-signature']),
    };
    expect(isSigned(said, Buffer.from(body), keyOf(secret), NOW)).toBe(true);
  });

  it.each([
    ['a redirect', { status: 302, body: '' }, 'status of the answer is 302'],
    ['an error', { status: 500, body: '{"matches":0}' }, 'status of the answer is 500'],
    ['no JSON', { status: 200, body: 'yes' }, 'JSON'],
    ['no verdict', ok({ matches: -1 }), 'no verdict'],
    ['too few texts', ok({ matches: 1, texts: ['one'] }), 'not all texts'],
    ['a large answer', { status: 200, body: ' '.repeat(8_388_609) }, 'more than 8388608 bytes'],
  ])('fails with %s', async (_case, given, message) => {
    await expect(ask(given)).rejects.toThrow(message);
    expect(received).toHaveLength(1);
  });

  it('has a time limit', async () => {
    await expect(ask(null, ruleOf({ timeoutMs: 100 }))).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('is on a public host unless the rule allows another one', async () => {
    const { port } = new URL(url);
    const local = ruleOf({ url: `http://localhost:${port}/`, allowsPrivate: false });
    await expect(ask(ok({ matches: 0 }), local)).rejects.toThrow('private address');
    expect(received).toEqual([]);
  });
});
