/** Reads a stream to its end. */
export const drain = async <Piece, End>(
  stream: AsyncGenerator<Piece, End>,
): Promise<{ readonly pieces: readonly Piece[]; readonly end: End }> => {
  const pieces: Piece[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) return { pieces, end: next.value };
    pieces.push(next.value);
  }
};
