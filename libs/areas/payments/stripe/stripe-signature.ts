import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far the clocks of both sides may differ, and how long a message can be repeated. */
const TOLERANCE_SECONDS = 300;
const MS_PER_SECOND = 1_000;
/** A header has one signature for each secret that is valid while secrets are rotated. */
const SIGNATURES_MAX = 10;

/**
 * Whether Stripe has signed the body, within the tolerance of this instant. The header is
 * `t=<epoch seconds>,v1=<HMAC-SHA256 of "t.body" in hex>`, with further signatures after that
 * (https://docs.stripe.com/webhooks#verify-manually).
 */
export const isSignedByStripe = (
  header: string | undefined,
  body: Uint8Array,
  secret: string,
  nowMs: number,
): boolean => {
  const parts = (header ?? '').split(',', SIGNATURES_MAX + 1).map((part) => part.split('='));
  const valuesOf = (name: string): readonly string[] =>
    parts.flatMap(([key, value = '']) => (key?.trim() === name ? [value.trim()] : []));
  const [timestamp = ''] = valuesOf('t');
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowMs / MS_PER_SECOND - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  return valuesOf('v1').some((hex) => {
    const given = Buffer.from(hex, 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
};
