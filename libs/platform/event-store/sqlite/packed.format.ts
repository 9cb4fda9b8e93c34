/**
 * How the log stores an event: `events.body` is the id, the metadata and the data, one after the
 * other, packed. Unpacking gives the very bytes of JSON that were appended, so that the chain
 * (`../event.chain.ts`) is the chain of the bytes that a reader sees.
 *
 * The id takes 16 bytes. A JSON object is the number of its shape and then its values in order. The
 * shape is the JSON with `HOLE` for every value, stored once in the table `words`; 0 means "no
 * shape": the length in bytes and the JSON itself follow. A value is a tag and the bytes that the
 * tag defines. Numbers are base 128, the lowest digit first, with the high bit on every byte but
 * the last.
 */

/** In a shape, for a value. No JSON has this character: in strings it is escaped. */
export const HOLE = '\u0001';

export const NO_SHAPE = 0;

export const TAG = {
  /** Length in bytes, and the JSON of the value. */
  json: 0,
  /** A UUID in lower case: 16 bytes. */
  uuid: 1,
  /** 64 hexadecimal digits in lower case: 32 bytes. */
  digest: 2,
  /** An instant in milliseconds, `2026-11-22T10:32:48.240Z`: milliseconds after `recorded_at`. */
  later: 3,
  /** Such an instant: milliseconds before `recorded_at`. */
  earlier: 4,
  /** A string of decimal digits, as a number. */
  decimal: 5,
  /** A whole number. */
  integer: 6,
  /** A string that is a word: its number. */
  word: 7,
  /** A string that is a word and a UUID: the number of the word, and 16 bytes. */
  wordAndUuid: 8,
  /** A string that is a word and a UUID of the event: the number of the word, and an index. */
  wordAndSeen: 9,
  /** A string that is a word and decimal digits: the number of the word, and the number. */
  wordAndDecimal: 10,
  null: 11,
  true: 12,
  false: 13,
  /**
   * Added to an index below 64: a UUID that the event has had before. The first is the event's id,
   * then comes the one at the end of the stream's name, if there is one.
   */
  seen: 0x80,
  /** Added to a whole number below 64. */
  small: 0xc0,
} as const;

/** Values that `TAG.seen` and `TAG.small` reach. */
export const SHORT_VALUES = 64;

export const UUID_BYTES = 16;
export const UUID_LENGTH = 36;
export const DIGEST_BYTES = 32;
export const INSTANT_LENGTH = 24;
/** Of an instant up to and including the `T`. */
export const DAY_LENGTH = 11;
export const DAY_MS = 86_400_000;
/** Decimal digits of which every number is a safe integer. */
export const DIGITS_MAX = 15;

/** Whether a UUID has a hyphen at the index. */
export const isHyphenAt = (index: number): boolean =>
  index === 8 || index === 13 || index === 18 || index === 23;

/** The UUID at the end of a stream's name, or null. */
export const uuidIn = (stream: string): string | null => {
  const text = stream.slice(-UUID_LENGTH);
  return UUID.test(text) ? text : null;
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
