import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface WebhookSettings {
  /** Whether endpoints may be on private networks, and without TLS. */
  readonly allowsPrivate: boolean;
  /** The pauses before each further attempt. */
  readonly retriesMs: readonly number[];
  /** For the whole answer of an endpoint. */
  readonly timeoutMs: number;
}

export const WEBHOOK_SETTINGS = Symbol('WebhookSettings');
export const PRIVATE_SETTING = 'QUIPU_WEBHOOK_PRIVATE';

/** The schedule that Standard Webhooks recommends: about three days in all. */
const RETRIES = '5,300,1800,7200,18000,36000,50400,72000,86400';
const RETRIES_MAX = 20;
const SECONDS = /^\d{1,7}$/;

const Retries = z
  .string()
  .default(RETRIES)
  .transform((text) => text.split(','))
  .refine(
    (seconds) => seconds.length <= RETRIES_MAX && seconds.every((one) => SECONDS.test(one)),
    `expected at most ${RETRIES_MAX} numbers of seconds, with commas between them`,
  );

export const webhookSettings = defineSettings({
  token: WEBHOOK_SETTINGS,
  variables: {
    QUIPU_WEBHOOK_PRIVATE: variable(
      z.enum(['deny', 'allow']).default('deny'),
      'whether webhooks may lead to private addresses and use plain HTTP: `deny` or `allow`',
    ),
    QUIPU_WEBHOOK_RETRY_SECONDS: variable(
      Retries,
      'the pauses before each further attempt of a webhook, in seconds',
      `\`${RETRIES}\``,
    ),
    QUIPU_WEBHOOK_TIMEOUT_SECONDS: variable(
      wholeNumber(1, 60).default(15),
      'how long the endpoint of a webhook may take to answer',
    ),
  },
  read: (values): WebhookSettings => ({
    allowsPrivate: values.QUIPU_WEBHOOK_PRIVATE === 'allow',
    retriesMs: values.QUIPU_WEBHOOK_RETRY_SECONDS.map((seconds) => Number(seconds) * 1_000),
    timeoutMs: values.QUIPU_WEBHOOK_TIMEOUT_SECONDS * 1_000,
  }),
});
