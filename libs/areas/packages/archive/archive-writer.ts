import { createHash } from 'node:crypto';
import { type Blobs } from '#platform/blobs/blobs.port.js';
import { type ContentFile } from './content.js';
import { contentHeaderOf } from './package-file.js';
import { type ManifestMember } from './package-members.js';
import { archiveBytesOf, endOf, memberPieces } from './tar.js';

/** The archive of a content, as it was written. */
export interface WrittenArchive {
  readonly sha256: string;
  readonly bytes: number;
  readonly address: string;
  readonly members: readonly ManifestMember[];
  /** The SHA-256 of the whole package, once the bytes behind the content are known. */
  readonly packageSha256: (rest: Uint8Array) => string;
}

/** A file of the content is not the file that was ordered. */
export class ContentChangedError extends Error {
  override readonly name = 'ContentChangedError';
  readonly code = 'model_changed';
}

/** Writes the archive of a content as a blob, in one pass and in bounded memory. */
export const writeArchive = async (
  blobs: Blobs,
  files: readonly ContentFile[],
  owner: string | null,
  { onBytes, signal }: { readonly onBytes: (bytes: number) => void; readonly signal: AbortSignal },
): Promise<WrittenArchive> => {
  const bytes = archiveBytesOf(files);
  const [archive, whole] = [createHash('sha256'), createHash('sha256')];
  whole.update(contentHeaderOf(bytes));
  let written = 0;
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of piecesOf(files)) {
      signal.throwIfAborted();
      archive.update(piece);
      whole.update(piece);
      written += piece.length;
      onBytes(written);
      yield piece;
    }
  };
  const { address } = await blobs.put(pieces(), { owner });
  return {
    sha256: archive.digest('hex'),
    bytes,
    address,
    members: files.map(({ name, sha256, bytes: size }) => ({ path: name, sha256, size })),
    packageSha256: (rest) => whole.update(rest).digest('hex'),
  };
};

async function* piecesOf(files: readonly ContentFile[]): AsyncGenerator<Uint8Array> {
  let before = 0;
  for (const file of files) {
    const own = createHash('sha256');
    for await (const piece of memberPieces(file, (content) => void own.update(content))) {
      before += piece.length;
      yield piece;
    }
    if (own.digest('hex') !== file.sha256) {
      throw new ContentChangedError(`${file.name} changed while it was packaged`);
    }
  }
  yield endOf(before);
}
