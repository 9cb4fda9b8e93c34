import { type FileHandle } from 'node:fs/promises';
import { BLOCK_BYTES, headerOf } from '../archive/tar.js';
import { PackageError } from './package.error.js';

/** Where the content of a member is in its file. */
export interface MemberPlace {
  readonly name: string;
  readonly at: number;
  readonly bytes: number;
}

/** No package has more; a longer list is another archive. */
const MEMBERS_MAX = 64;
const PIECE_BYTES = 1 << 20;

/** Reads an archive that `tar.ts` has written; any other header is a fault. @throws PackageError */
export const membersIn = async (
  file: FileHandle,
  { name: archive, at: start, bytes }: MemberPlace,
): Promise<readonly MemberPlace[]> => {
  const members: MemberPlace[] = [];
  const end = start + bytes;
  for (let at = start; at + BLOCK_BYTES <= end && members.length < MEMBERS_MAX;) {
    const header = await readAt(file, at, BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) return members;
    const member = memberOf(header, at + BLOCK_BYTES);
    if (!member || member.at + member.bytes > end) break;
    members.push(member);
    at = member.at + Math.ceil(member.bytes / BLOCK_BYTES) * BLOCK_BYTES;
  }
  const last = members.at(-1)?.name;
  const place = last === undefined ? 'at its beginning' : `after ${last}`;
  throw new PackageError(`${archive} is altered: it has no header of a file ${place}`);
};

const memberOf = (header: Buffer, at: number): MemberPlace | undefined => {
  const name = header.toString('latin1', 0, header.indexOf(0));
  const bytes = Number.parseInt(header.toString('latin1', 124, 135), 8);
  try {
    return headerOf(name, bytes).equals(header) ? { name, at, bytes } : undefined;
  } catch {
    return undefined;
  }
};

/** @throws PackageError for a file that ends before */
export const readAt = async (file: FileHandle, at: number, bytes: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
  if (bytesRead < bytes) throw new PackageError('the file is cut short');
  return buffer;
};

/** The content of a place, in pieces of a buffer that is used again. */
export async function* piecesOf(
  file: FileHandle,
  { at: start, bytes }: Pick<MemberPlace, 'at' | 'bytes'>,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(bytes, 1)));
  for (let at = start; at < start + bytes;) {
    const length = Math.min(buffer.length, start + bytes - at);
    const { bytesRead } = await file.read(buffer, 0, length, at);
    if (bytesRead === 0) throw new PackageError('the file is cut short');
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
