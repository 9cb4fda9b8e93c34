/** GPT-2's table: each byte has one visible character; bytes without one start at U+0100. */
const isVisible = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;

const bytes: ReadonlyMap<string, number> = (() => {
  let spare = 0x100;
  return new Map(
    Array.from({ length: 256 }, (_, byte) => [
      String.fromCodePoint(isVisible(byte) ? byte : spare++),
      byte,
    ]),
  );
})();

/** The bytes that a token of a byte-level vocabulary spells. */
export const bytesOfToken = (token: string): Uint8Array =>
  Uint8Array.from(token, (character) => bytes.get(character) ?? 0);

/** The character of each byte, in the order of bytes. */
export const byteCharacters = (): readonly string[] => [...bytes.keys()];
