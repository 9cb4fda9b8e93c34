import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Standard Webhooks 1.0.0 (https://www.standardwebhooks.com): messages with symmetric signatures of
 * version 1. Used for sent and for received messages.
 */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** How far the clocks of both sides may differ, and how long a message can be repeated. */
const TOLERANCE_SECONDS = 300;
const MS_PER_SECOND = 1_000;

export const newWebhookSecret = (): string =>
  `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/** The bytes of a secret as `newWebhookSecret` writes it. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

export interface SignedMessage {
  readonly id: string;
  /** Epoch seconds. */
  readonly timestamp: number;
  readonly body: string | Uint8Array;
}

/** The value of `webhook-signature`. */
export const signatureOf = ({ id, timestamp, body }: SignedMessage, key: Uint8Array): string => {
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
  return `v1,${mac.digest('base64')}`;
};

/** The headers of a message that was received. */
export interface SignatureHeaders {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  /** One or more signatures with spaces between them. */
  readonly signature: string | undefined;
}

/** Whether the holder of the key has signed the body, within the tolerance of this instant. */
export const isSigned = (
  { id, timestamp, signature }: SignatureHeaders,
  body: Uint8Array,
  key: Uint8Array,
  nowMs: number,
): boolean => {
  if (id === undefined || !/^\d{1,12}$/.test(timestamp ?? '')) return false;
  const seconds = Number(timestamp);
  if (Math.abs(nowMs / MS_PER_SECOND - seconds) > TOLERANCE_SECONDS) return false;
  const expected = Buffer.from(signatureOf({ id, timestamp: seconds, body }, key));
  return (signature ?? '').split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
};
