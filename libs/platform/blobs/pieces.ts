/** Content in pieces, as `Blobs` takes and gives it. */
export type Pieces = AsyncIterable<Uint8Array>;

export async function* inOnePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(content);
}
