import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { gather } from '#platform/blobs/blobs.fixture.js';
import { inOnePiece } from '#platform/blobs/pieces.js';
import { contentHeaderOf, packageBytesOf, rangeOf, restOf } from './package-file.js';
import { archiveBytesOf, endOf, headerOf, inOrder, memberPieces, type TarMember } from './tar.js';

const memberOf = (name: string, content: string): TarMember => ({
  name,
  bytes: content.length,
  content: () => inOnePiece(Buffer.from(content)),
});

const archiveOf = async (members: readonly TarMember[]): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for (const member of inOrder(members)) pieces.push(await gather(memberPieces(member)));
  const content = Buffer.concat(pieces);
  return Buffer.concat([content, endOf(content.length)]);
};

describe('a tar archive', () => {
  it('has the bytes that GNU tar 1.34 writes', async () => {
    const archive = await archiveOf([memberOf('b.txt', 'knots\n'), memberOf('a.txt', 'cords\n')]);
    // printf 'cords\n' > a.txt; printf 'knots\n' > b.txt; tar --format=ustar --sort=name --mtime=@0
    // --owner=0 --group=0 --numeric-owner --mode=0644 -cf - a.txt b.txt | sha256sum
    expect(createHash('sha256').update(archive).digest('hex')).toBe(
      'f90237b0f86e95f230f39d712fbf29b1794d408d96f2155a56447b5ca151b871',
    );
    expect(archive).toHaveLength(archiveBytesOf([{ bytes: 6 }, { bytes: 6 }]));
  });

  it.each([
    [-1, 'a'],
    [1, 'abc'],
  ])('fails for a content that is another length than it said: %i', async (more, content) => {
    const member = { ...memberOf('a.txt', content), bytes: content.length + more };
    await expect(gather(memberPieces(member))).rejects.toThrow('a.txt does not have');
  });

  it.each(['', '../a', 'a/b', '.a', 'a'.repeat(101), 'ä'])('has no member called %j', (name) => {
    expect(() => headerOf(name, 1)).toThrow(RangeError);
  });

  it('has no member of 8 GiB', () => {
    expect(headerOf('a', 8 ** 11 - 1)).toHaveLength(512);
    expect(() => headerOf('a', 8 ** 11)).toThrow(RangeError);
  });
});

describe('a package', () => {
  it('is one tar archive of the content and the files beside it, in any range', async () => {
    const content = Buffer.from('content of some length');
    const files = new Map([
      ['manifest.json', Buffer.from('{}')],
      ['licence.jwt', Buffer.from('a.b.c')],
    ]);
    const rest = restOf(content.length, files);
    const header = contentHeaderOf(content.length);
    const parts = [header, content, rest].map((bytes) => ({
      bytes: bytes.length,
      read: ({ start, end }: { start: number; end: number }) =>
        inOnePiece(bytes.subarray(start, end)),
    }));
    const whole = await archiveOf([
      memberOf('content.tar', String(content)),
      ...[...files].map(([name, bytes]) => memberOf(name, String(bytes))),
    ]);
    expect(packageBytesOf(content.length, rest.length)).toBe(whole.length);
    for (const [start, end] of [
      [0, whole.length],
      [500, 520],
      [530, 1_100],
      [9_000, 10_240],
    ] as const) {
      const range = await gather(rangeOf(parts, { start, end }));
      expect(range.equals(whole.subarray(start, end))).toBe(true);
    }
  });
});
