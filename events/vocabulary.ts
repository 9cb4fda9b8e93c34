import { z } from 'zod';

/** Words that the events of every area share. */

/** An instant as ISO 8601 UTC with milliseconds. */
export const Instant = z.iso.datetime({ precision: 3 });

/** Micro-dollars (1 USD = 1,000,000) as a decimal string; never negative. */
export const MicroUsdDecimal = z.string().regex(/^(0|[1-9]\d{0,17})$/);

/** Micro-dollars as a decimal string, with a sign where the amount is below zero. */
export const SignedMicroUsdDecimal = z.string().regex(/^(0|-?[1-9]\d{0,17})$/);

/** The unit that is counted, such as `input_tokens` or `gpu_seconds`. */
export const Meter = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

/** A month in UTC, `YYYY-MM`. */
export const Month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/);

/** Where a process or a rig is, as its operator names it: `uk`, `eu-west-1`. */
export const Region = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be a letter, then up to 31 of a-z 0-9 -');

/** SHA-256 in lower-case hex. */
export const Sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * SHA3-256 of a key of the installation and a text, in hex: the operator can compare two texts by
 * it; without the key it says nothing about the text.
 */
export const KeyedHash = z.string().regex(/^[0-9a-f]{64}$/);

/** The id of an API key: no secret. The successor of a key counts under the id of the first. */
export const KeyId = z.string().regex(/^[0-9a-f]{16}$/);

/** The integer id of a user, as the login reply shows it. */
export const UserId = z.int().positive().brand<'UserId'>();
export type UserId = z.infer<typeof UserId>;

/** An account's id; a user's own account has the user's id in decimal. */
export const AccountId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/);
export type AccountId = z.infer<typeof AccountId>;
