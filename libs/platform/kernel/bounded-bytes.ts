/**
 * Reads content whole, in bounded memory.
 * @param tooLarge the error for content of more bytes, of which no more is read
 */
export const boundedBytes = async (
  content: AsyncIterable<Uint8Array>,
  bytesMax: number,
  tooLarge: () => Error,
): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > bytesMax) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};
