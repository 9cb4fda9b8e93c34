import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { consistencyRanges, nodesOf } from '#platform/audit/merkle.js';
import { encodingsOf, HISTORY, logKey, publish } from '../bill/bill.fixture.js';
import { type ArchiveHeader, writeArchive } from './archive-file.js';

export const encodings = encodingsOf(HISTORY);
export const { cosigned, hashOf } = publish(encodings);
export const SIZE = encodings.length;

export const headerOf = (first: number, end: number): ArchiveHeader => ({
  first,
  end,
  edge: nodesOf({ begin: 0, end: first }).map(({ level, index }) =>
    hashOf({ begin: index * 2 ** level, end: (index + 1) * 2 ** level }),
  ),
  root: hashOf({ begin: 0, end }),
  checkpoint: cosigned,
  consistency: consistencyRanges(end, SIZE).map(hashOf),
  key: logKey,
});

export const archiveOf = (header: ArchiveHeader, events: readonly Buffer[]): Promise<Buffer> =>
  buffer(writeArchive(header, Readable.from(events)));

export const rangeOf = (first: number, end: number): Promise<Buffer> =>
  archiveOf(headerOf(first, end), encodings.slice(first, end));
