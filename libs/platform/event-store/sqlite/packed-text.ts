/** Writes packed values as text into a buffer. Text that does not fit there is lost. */
import { UUID_BYTES } from './packed.format.js';

const HEX = Buffer.from('0123456789abcdef');
const HYPHEN = 0x2d;
const COLON = 0x3a;
const POINT = 0x2e;
const ZULU = 0x5a;
const ZERO = 0x30;

/** The offsets of the digits of each byte of a UUID. */
const UUID_DIGITS = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34);
const UUID_HYPHENS = [8, 13, 18, 23] as const;

/** Two hexadecimal digits. */
const writeByte = (byte: number, text: Buffer, start: number): void => {
  text[start] = HEX[byte >> 4] ?? 0;
  text[start + 1] = HEX[byte & 0x0f] ?? 0;
};

/** @param start where the text begins in its buffer, which takes `UUID_LENGTH` */
export const writeUuid = (bytes: Buffer, at: number, text: Buffer, start: number): void => {
  for (let index = 0; index < UUID_BYTES; index += 1) {
    writeByte(bytes[at + index] ?? 0, text, start + (UUID_DIGITS[index] ?? 0));
  }
  for (const hyphen of UUID_HYPHENS) text[start + hyphen] = HYPHEN;
};

/** @param start as for `writeUuid`; the text takes twice the length */
export const writeHex = (
  bytes: Buffer,
  at: number,
  length: number,
  text: Buffer,
  start: number,
): void => {
  for (let index = 0; index < length; index += 1) {
    writeByte(bytes[at + index] ?? 0, text, start + 2 * index);
  }
};

/** The part of an instant behind the `T`: `10:32:48.240Z`. */
export const TIME_LENGTH = 13;

/** @param ms since midnight */
export const writeTime = (ms: number, text: Buffer, start: number): void => {
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  writeTwoDigits(Math.floor(minutes / 60), text, start);
  text[start + 2] = COLON;
  writeTwoDigits(minutes % 60, text, start + 3);
  text[start + 5] = COLON;
  writeTwoDigits(seconds % 60, text, start + 6);
  text[start + 8] = POINT;
  const fraction = ms % 1_000;
  text[start + 9] = ZERO + Math.floor(fraction / 100);
  writeTwoDigits(fraction % 100, text, start + 10);
  text[start + 12] = ZULU;
};

const writeTwoDigits = (value: number, text: Buffer, start: number): void => {
  text[start] = ZERO + Math.floor(value / 10);
  text[start + 1] = ZERO + (value % 10);
};
