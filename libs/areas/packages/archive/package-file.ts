import { type BlobRange } from '#platform/blobs/blobs.port.js';
import { CONTENT } from './package-members.js';
import { BLOCK_BYTES, endOf, headerOf, inOrder, paddingOf } from './tar.js';

/**
 * A package is a tar archive of the content, which is a blob, and of the small files beside it,
 * which are another one: equal contents of many packages are stored once.
 */

/** Everything behind the content: the other members, and the end of the archive. */
export const restOf = (contentBytes: number, files: ReadonlyMap<string, Buffer>): Buffer => {
  const members = inOrder([...files].map(([name, content]) => ({ name, content })));
  const pieces = members.flatMap(({ name, content }) => [
    headerOf(name, content.length),
    content,
    paddingOf(content.length),
  ]);
  const before = BLOCK_BYTES + contentBytes + paddingOf(contentBytes).length;
  const rest = Buffer.concat(pieces);
  return Buffer.concat([paddingOf(contentBytes), rest, endOf(before + rest.length)]);
};

/** The header before the content. */
export const contentHeaderOf = (contentBytes: number): Buffer => headerOf(CONTENT, contentBytes);

/** Where the content is in its package. */
export const contentRangeOf = (contentBytes: number): Required<BlobRange> => ({
  start: BLOCK_BYTES,
  end: BLOCK_BYTES + contentBytes,
});

export const packageBytesOf = (contentBytes: number, restBytes: number): number =>
  contentRangeOf(contentBytes).end + restBytes;

/** A part of a package that is read by itself. */
export interface PackagePart {
  readonly bytes: number;
  /** The bytes of a range within the part. */
  readonly read: (range: Required<BlobRange>) => AsyncIterable<Uint8Array>;
}

/** The bytes of a range of parts, one behind the other. */
export async function* rangeOf(
  parts: readonly PackagePart[],
  { start, end }: Required<BlobRange>,
): AsyncGenerator<Uint8Array> {
  let before = 0;
  for (const { bytes, read } of parts) {
    const within = { start: Math.max(start - before, 0), end: Math.min(end - before, bytes) };
    if (within.start < within.end) yield* read(within);
    before += bytes;
  }
}
