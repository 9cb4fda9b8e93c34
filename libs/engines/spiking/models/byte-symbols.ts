/** The symbols of the language model: printable ASCII and the line feed. */
const FIRST = 32;
const LAST = 126;
const LINE_FEED = 10;

/** Byte of each symbol. */
export const SYMBOLS: readonly number[] = [
  ...Array.from({ length: LAST - FIRST + 1 }, (_, index) => FIRST + index),
  LINE_FEED,
];

const SPACE_SYMBOL = 0;

/** The symbol of a byte; what is not a symbol reads as a space. */
export const symbolOf = (byte: number): number => {
  const symbol = SYMBOLS.indexOf(byte);
  return symbol === -1 ? SPACE_SYMBOL : symbol;
};

/** One row of 0 and a single 1 for each byte. */
export const symbolRows = (bytes: Uint8Array): Float32Array => {
  const rows = new Float32Array(bytes.length * SYMBOLS.length);
  for (const [at, byte] of bytes.entries()) rows[at * SYMBOLS.length + symbolOf(byte)] = 1;
  return rows;
};

/** The name of each symbol in the catalog. */
export const SYMBOL_NAMES: readonly string[] = SYMBOLS.map((byte) => {
  if (byte === LINE_FEED) return 'line feed';
  return byte === FIRST ? 'space' : String.fromCharCode(byte);
});
