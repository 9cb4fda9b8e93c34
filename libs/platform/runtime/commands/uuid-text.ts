export const UUID_BYTES = 16;

const DASH = 0x2d;
const DIGITS = Buffer.from('0123456789abcdef');

/** The value of each hex digit by its code; -1 for another character. */
const DIGIT_VALUES = Int8Array.from({ length: 0x80 }, (_, code) =>
  DIGITS.indexOf(String.fromCharCode(code).toLowerCase()),
);

/** Where the two digits of each byte are in the text. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

/** Used again for each text: a text that is put together from parts takes five times the memory. */
const text = Buffer.alloc('xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'.length, '-');

/** The first 16 bytes as a UUID of this version (RFC 9562), in lower case. */
export const uuidOf = (bytes: Uint8Array, version: number): string => {
  for (let at = 0; at < UUID_BYTES; at += 1) {
    let byte = bytes[at] ?? 0;
    if (at === 6) byte = (byte & 0x0f) | (version << 4);
    if (at === 8) byte = (byte & 0x3f) | 0x80;
    const place = PLACES[at] ?? 0;
    text[place] = DIGITS[byte >> 4] ?? 0;
    text[place + 1] = DIGITS[byte & 0x0f] ?? 0;
  }
  return text.toString('latin1');
};

/**
 * Writes the 16 bytes of a UUID.
 * @throws RangeError for another text
 */
export const writeUuid = (bytes: Uint8Array, uuid: string): void => {
  let digits = 0;
  let byte = 0;
  for (let at = 0; at < uuid.length; at += 1) {
    const code = uuid.charCodeAt(at);
    if (code === DASH) continue;
    const value = DIGIT_VALUES[code] ?? -1;
    if (value < 0 || digits === 2 * UUID_BYTES) throw new RangeError(`not a UUID: ${uuid}`);
    byte = byte * DIGITS.length + value;
    digits += 1;
    if (digits % 2 === 1) continue;
    bytes[digits / 2 - 1] = byte;
    byte = 0;
  }
  if (digits !== 2 * UUID_BYTES) throw new RangeError(`not a UUID: ${uuid}`);
};
