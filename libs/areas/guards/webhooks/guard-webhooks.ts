import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { type GuardedWork } from '#platform/chats/chat-guards.port.js';
import { boundedBytes } from '#platform/kernel/bounded-bytes.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { lookupOfPublicHosts } from '#platform/network/public-addresses.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { keyOf, signatureOf } from '#platform/webhooks/standard-webhooks.js';
import { GUARD_SETTINGS, type GuardSettings } from '../guards.settings.js';
import { type Direction, type WebhookRule } from '../rules/guard-rule.js';

/** Of the answer of a webhook. */
const ANSWER_BYTES_MAX = 8_388_608;

const Verdict = z.object({
  /** How often the texts have what the rule looks for; 0: they pass. */
  matches: z.int().min(0).max(1_000_000),
  /** For a rule that redacts: all texts, in their order. */
  texts: z.array(z.string()).optional(),
});
export type Verdict = z.infer<typeof Verdict>;

/** A webhook gave no verdict. The message is for the log of the operator. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Asks the webhooks of rules about texts. It follows no redirect. */
@Injectable()
export class GuardWebhooks implements OnApplicationShutdown {
  readonly #public = new Agent({
    connect: {
      lookup: lookupOfPublicHosts(
        (hostname, address) => new WebhookError(`${hostname} has the private address ${address}`),
      ),
    },
  });
  readonly #private = new Agent();

  constructor(
    @Inject(GUARD_SETTINGS) private readonly settings: Pick<GuardSettings, 'secret'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.#public.destroy(), this.#private.destroy()]);
  }

  /** @throws WebhookError; errors of the connection */
  async verdictOf(
    rule: WebhookRule,
    { accountId, model, requestId }: GuardedWork,
    texts: readonly string[],
    on: Direction,
  ): Promise<Verdict> {
    const data = { rule: rule.id, model, request_id: requestId, texts };
    const text = await this.#post(rule, { type: `guard.${on}`, account_id: accountId, data });
    const verdict = Verdict.safeParse(text);
    if (!verdict.success) throw new WebhookError('the answer is no verdict');
    const isWhole = verdict.data.texts?.length === texts.length;
    const needsTexts = rule.does === 'redact' && verdict.data.matches > 0;
    if (needsTexts && !isWhole) throw new WebhookError('the answer has not all texts');
    return verdict.data;
  }

  async #post({ webhook }: WebhookRule, message: object): Promise<unknown> {
    const { secret } = this.settings;
    if (secret === null) throw new WebhookError('there is no secret to sign with');
    const id = randomUUID();
    const timestamp = Math.floor(this.clock.now() / 1e3);
    const body = JSON.stringify({ ...message, timestamp: instant(this.clock) });
    const answer = await request(webhook.url, {
      method: 'POST',
      dispatcher: webhook.allowsPrivate ? this.#private : this.#public,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Quipu-Guards/1',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatureOf({ id, timestamp, body }, keyOf(secret)),
      },
      body,
      signal: AbortSignal.timeout(webhook.timeoutMs),
    });
    if (answer.statusCode !== 200) {
      answer.body.on('error', () => undefined).destroy();
      throw new WebhookError(`the status of the answer is ${answer.statusCode}`);
    }
    const tooLarge = () => new WebhookError(`the answer has more than ${ANSWER_BYTES_MAX} bytes`);
    const bytes = await boundedBytes(answer.body, ANSWER_BYTES_MAX, tooLarge);
    return JSON.parse(bytes.toString()) as unknown;
  }
}
