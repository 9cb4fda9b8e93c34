import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, request } from 'undici';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { Mailer, MailError } from '#platform/mail/mailer.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { demandPublicUrl, publicLookup } from './private-addresses.js';
import { keyOf, signatureOf } from '#platform/webhooks/standard-webhooks.js';
import { MAIL_SCHEME } from './webhook-secrets.js';
import { WEBHOOK_SETTINGS, type WebhookSettings } from './webhooks.settings.js';

export interface OutgoingMessage {
  readonly url: string;
  readonly secret: string;
  readonly id: string;
  readonly body: string;
}

/** The answer of the endpoint, or the reason that there is none. */
export interface SendingOutcome {
  readonly isDelivered: boolean;
  readonly statusCode: number | null;
  readonly failure: string | null;
}

const FAILURE_LENGTH_MAX = 300;
const MS_PER_SECOND = 1_000;

/**
 * Sends signed messages, and mails. It follows no redirect, and reads no answer beyond its status.
 */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  readonly #agent: Agent;

  constructor(
    @Inject(WEBHOOK_SETTINGS) private readonly settings: WebhookSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly mailer: Mailer,
  ) {
    const connect = settings.allowsPrivate ? {} : { lookup: publicLookup };
    this.#agent = new Agent({ connect, keepAliveTimeout: 1_000 });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#agent.destroy();
  }

  /** Never rejects: a failure is an outcome. */
  async mail({ url, id, body }: Omit<OutgoingMessage, 'secret'>): Promise<SendingOutcome> {
    const [subject = ''] = body.split('\n', 1);
    try {
      await this.mailer.send({ to: url.slice(MAIL_SCHEME.length), subject, text: body, id });
      return { isDelivered: true, statusCode: null, failure: null };
    } catch (error) {
      const failure = error instanceof MailError ? error.message : 'the mail failed';
      return {
        isDelivered: false,
        statusCode: null,
        failure: failure.slice(0, FAILURE_LENGTH_MAX),
      };
    }
  }

  /** Never rejects: a failure is an outcome. */
  async send(message: OutgoingMessage, stopping: AbortSignal): Promise<SendingOutcome> {
    const { timeoutMs } = this.settings;
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]);
    try {
      const url = demandPublicUrl(message.url, this.settings.allowsPrivate);
      const timestamp = Math.floor(this.clock.now() / MS_PER_SECOND);
      const { id, body } = message;
      const answer = await request(url, {
        method: 'POST',
        dispatcher: this.#agent,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Quipu-Webhooks/1',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signatureOf({ id, timestamp, body }, keyOf(message.secret)),
        },
        body,
        signal,
      });
      answer.body.on('error', () => undefined).destroy();
      const { statusCode } = answer;
      const isDelivered = statusCode >= 200 && statusCode < 300;
      return { isDelivered, statusCode, failure: null };
    } catch (error) {
      const failure = reasonOf(error, timeoutMs).slice(0, FAILURE_LENGTH_MAX);
      return { isDelivered: false, statusCode: null, failure };
    }
  }
}

const reasonOf = (error: unknown, timeoutMs: number): string => {
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return `there was no answer within ${timeoutMs} ms`;
  if (error instanceof DomainError) return error.detail;
  // The message of some errors has the address, which may contain a secret.
  const { code } = error as NodeJS.ErrnoException;
  return code ?? error.name;
};
