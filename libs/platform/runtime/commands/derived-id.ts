import { hash } from 'node:crypto';

const NAMESPACE_BYTES = 16;
/** By the upper half of the ninth byte: the variant of RFC 9562. */
const VARIANTS = '89ab89ab89ab89ab';

/**
 * A UUID of version 5 (RFC 9562, section 5.5): the same name in the same namespace always gives the
 * same id. Written out because every event of every command needs one, and this takes a third of
 * the time of the general library.
 *
 * @param namespace a UUID
 */
export const derivedId = (name: string, namespace: string): string => {
  const bytes = Buffer.allocUnsafe(NAMESPACE_BYTES + Buffer.byteLength(name));
  writeUuid(bytes, namespace);
  bytes.write(name, NAMESPACE_BYTES);
  const digest = hash('sha1', bytes, 'hex');
  const variant = VARIANTS.charAt(Number.parseInt(digest.charAt(16), 16));
  return (
    `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}` +
    `-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`
  );
};

const DASH = 0x2d;
const DIGITS = '0123456789abcdef';

/** The value of each hex digit by its code; -1 for another character. */
const DIGIT_VALUES = Int8Array.from({ length: 0x80 }, (_, code) =>
  DIGITS.indexOf(String.fromCharCode(code).toLowerCase()),
);

/** @throws RangeError */
const writeUuid = (bytes: Buffer, uuid: string): void => {
  let digits = 0;
  let byte = 0;
  for (let at = 0; at < uuid.length; at += 1) {
    const code = uuid.charCodeAt(at);
    if (code === DASH) continue;
    const value = DIGIT_VALUES[code] ?? -1;
    if (value < 0 || digits === 2 * NAMESPACE_BYTES) throw new RangeError(`not a UUID: ${uuid}`);
    byte = byte * DIGITS.length + value;
    digits += 1;
    if (digits % 2 === 1) continue;
    bytes[digits / 2 - 1] = byte;
    byte = 0;
  }
  if (digits !== 2 * NAMESPACE_BYTES) throw new RangeError(`not a UUID: ${uuid}`);
};
