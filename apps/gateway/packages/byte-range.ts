import { type BlobRange } from '#platform/blobs/blobs.port.js';
import { reject } from '#areas/packages/packages.errors.js';

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** The header fields of a request that ask for a part of a file. */
export interface RangeHeaders {
  readonly range?: string | undefined;
  readonly 'if-range'?: string | undefined;
}

/**
 * The part of a file that a request asks for, by RFC 9110; null: the whole file. Several ranges,
 * other units, and a range of another version of the file are for the whole file.
 * @throws DomainError `package_range_unsatisfiable`
 */
export const rangeAsked = (
  { range = '', 'if-range': condition }: RangeHeaders,
  bytes: number,
  entityTag: string,
): Required<BlobRange> | null => {
  const [, first = '', last = ''] = RANGE.exec(range) ?? [];
  const isOther = condition !== undefined && condition !== entityTag;
  if (isOther || (first === '' && last === '')) return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  const start = first === '' ? Math.max(bytes - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? bytes : Math.min(Number(last) + 1, bytes);
  if (start < end) return { start, end };
  const detail = `range: expected bytes of a file of ${bytes}, received ${range}`;
  return reject('package_range_unsatisfiable', detail, { bytes });
};
