import { type TextEnd } from '../embedded-rig.js';

/** All that a text engine says, and how it ended. */
export const drain = async (
  stream: AsyncGenerator<string, TextEnd>,
): Promise<{ readonly pieces: readonly string[]; readonly end: TextEnd }> => {
  const pieces: string[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) return { pieces, end: next.value };
    pieces.push(next.value);
  }
};
