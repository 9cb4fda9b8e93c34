import { type Pieces } from '#platform/blobs/pieces.js';

/**
 * Tar archives in the format ustar, whose bytes depend on the names and the contents alone: no
 * time, no owner, one mode. GNU tar writes the same bytes with
 * `--format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644`.
 */
export const BLOCK_BYTES = 512;
/** The end of an archive is filled to whole records, as GNU tar does. */
const RECORD_BYTES = 20 * BLOCK_BYTES;
const NAME_BYTES_MAX = 100;
/** Eleven octal digits. */
const MEMBER_BYTES_MAX = 8 ** 11 - 1;
const CHECKSUM_AT = 148;

export interface TarMember {
  /** A plain file name. */
  readonly name: string;
  readonly bytes: number;
  /** Read once for each archive. */
  readonly content: () => Pieces;
}

/** The content of a member has another length than its header says. */
export class MemberChangedError extends Error {
  override readonly name = 'MemberChangedError';
}

const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

/** @throws RangeError for a name or a size that the format cannot hold */
export const headerOf = (name: string, bytes: number): Buffer => {
  if (!PLAIN_NAME.test(name) || name.length > NAME_BYTES_MAX || bytes > MEMBER_BYTES_MAX) {
    throw new RangeError(`not a member of an archive: ${name} of ${bytes} bytes`);
  }
  const header = Buffer.alloc(BLOCK_BYTES);
  const fields: readonly (readonly [at: number, text: string])[] = [
    [0, name],
    [100, octal(0o644, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(bytes, 11)],
    [136, octal(0, 11)],
    // The checksum counts its own field as spaces.
    [CHECKSUM_AT, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\u000000'],
    [329, octal(0, 7)],
    [337, octal(0, 7)],
  ];
  for (const [at, text] of fields) header.write(text, at, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\u0000 `, CHECKSUM_AT, 'latin1');
  return header;
};

/** The zeroes after a content. */
export const paddingOf = (bytes: number): Buffer =>
  Buffer.alloc((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES);

/** The zeroes after the last member. */
export const endOf = (bytesBefore: number): Buffer => {
  const least = bytesBefore + 2 * BLOCK_BYTES;
  return Buffer.alloc(Math.ceil(least / RECORD_BYTES) * RECORD_BYTES - bytesBefore);
};

const placeOf = (bytes: number): number => BLOCK_BYTES + bytes + paddingOf(bytes).length;

/** The size of the archive of members of these sizes. */
export const archiveBytesOf = (members: readonly Pick<TarMember, 'bytes'>[]): number => {
  const total = members.reduce((sum, { bytes }) => sum + placeOf(bytes), 0);
  return total + endOf(total).length;
};

/** In the order of bytes, as `LC_ALL=C` sorts. */
export const inOrder = <Member extends Pick<TarMember, 'name'>>(
  members: readonly Member[],
): readonly Member[] => members.toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** A member, piece by piece. @throws MemberChangedError */
export async function* memberPieces(
  { name, bytes, content }: TarMember,
  onPiece: (piece: Uint8Array) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  yield headerOf(name, bytes);
  let read = 0;
  for await (const piece of content()) {
    read += piece.length;
    if (read > bytes) break;
    onPiece(piece);
    yield piece;
  }
  if (read !== bytes) throw new MemberChangedError(`${name} does not have ${bytes} bytes any more`);
  yield paddingOf(bytes);
}
