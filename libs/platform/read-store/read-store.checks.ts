/** The checks of every adapter before it touches its store, so that all reject alike. */
import { type Position } from '#platform/event-store/event-store.port.js';
import { ReadStoreError } from './read-store.errors.js';
import { type DocumentWrite, type ListOptions, type ReadStoreCommit } from './read-store.port.js';

const COLLECTION = /^[a-z][a-z0-9.-]{0,63}$/;
export const KEY_BYTES_MAX = 512;
export const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;
export const LIMIT_MAX = 10_000;
export const LIMIT_DEFAULT = 1_000;
const POSITION_MAX = 2n ** 63n - 1n;
const FENCE_MAX = 2n ** 63n - 1n;

/**
 * How long an adapter remembers where a document was deleted: longer than a repeat is under way.
 */
export const DELETIONS_REMEMBERED_MS = 60_000;

export const checkCollection = (name: string): void => {
  if (!COLLECTION.test(name)) {
    throw new ReadStoreError('invalid-collection', `${JSON.stringify(name)} is not a name`);
  }
};

export const checkKey = (key: string): void => {
  const bytes = Buffer.byteLength(key);
  if (bytes >= 1 && bytes <= KEY_BYTES_MAX && key.isWellFormed() && !key.includes('\0')) return;
  throw new ReadStoreError(
    'invalid-key',
    `a key of ${bytes} bytes; it takes 1 to ${KEY_BYTES_MAX}, well-formed and without NUL`,
  );
};

export const checkPosition = (position: Position): void => {
  if (position < 0n || position > POSITION_MAX) {
    throw new ReadStoreError('invalid-position', `${position} is outside 0 to 2^63 - 1`);
  }
};

const checkFence = (fence: bigint): void => {
  if (fence < 0n || fence > FENCE_MAX) {
    throw new ReadStoreError('invalid-fence', `${fence} is outside 0 to 2^63 - 1`);
  }
};

/**
 * The rejection of a commit under a lower token, or null.
 * @param saved the token that the store keeps with the checkpoint, if it keeps one
 */
export const fencedOff = (
  { name, fence }: NonNullable<ReadStoreCommit['checkpoint']>,
  saved: bigint | null | undefined,
): ReadStoreError | null => {
  if (fence === undefined || saved === undefined || saved === null || fence >= saved) return null;
  const detail = `${name} is written under lease ${saved}, not ${fence}`;
  return new ReadStoreError('fenced-off', detail);
};

/** @throws ReadStoreError as `fencedOff` */
export const expectNotFenced = (...compared: Parameters<typeof fencedOff>): void => {
  const rejection = fencedOff(...compared);
  if (rejection) throw rejection;
};

/** A write with its document as JSON; null deletes. */
export interface EncodedWrite extends Omit<DocumentWrite, 'document'> {
  readonly json: string | null;
}

/** Checks a whole commit and encodes its documents, before the first of them is written. */
export const encodeCommit = ({ writes, checkpoint }: ReadStoreCommit): readonly EncodedWrite[] => {
  if (checkpoint) {
    checkKey(checkpoint.name);
    checkPosition(checkpoint.position);
    if (checkpoint.fence !== undefined) checkFence(checkpoint.fence);
    if (checkpoint.event !== undefined) checkKey(checkpoint.event);
  }
  let checked: string | undefined;
  return writes.map(({ collection, key, document, position }) => {
    // Most commits are of one collection.
    if (collection !== checked) checkCollection(collection);
    checked = collection;
    checkKey(key);
    checkPosition(position);
    return { collection, key, position, json: document && encode(collection, document) };
  });
};

const encode = (collection: string, document: object): string => {
  const json = toJson(collection, document);
  // A UTF-16 unit is at most three bytes, so most documents need no counting.
  if (json.length * 3 > DOCUMENT_BYTES_MAX && Buffer.byteLength(json) > DOCUMENT_BYTES_MAX) {
    const detail = `a document of ${collection} is over ${DOCUMENT_BYTES_MAX} bytes`;
    throw new ReadStoreError('document-too-large', detail);
  }
  return json;
};

/** A `toJSON` may make it return undefined, which its declared type forgets. */
const stringify: (document: object) => string | undefined = JSON.stringify;

const toJson = (collection: string, document: object): string => {
  const detail = `a document of ${collection} cannot be written as a JSON object or array`;
  let json: string | undefined;
  try {
    json = stringify(document);
  } catch (cause) {
    throw new ReadStoreError('invalid-document', detail, { cause });
  }
  if (json?.startsWith('{') || json?.startsWith('[')) return json;
  throw new ReadStoreError('invalid-document', detail);
};

/** Every condition of a list as one range of keys. */
export interface KeyRange {
  /** Both hold; the empty string bounds nothing. */
  readonly atOrAfter: readonly [prefix: string, from: string];
  /** Both hold; null bounds nothing. */
  readonly before: readonly [prefixEnd: string | null, before: string | null];
}

export interface CheckedList extends KeyRange {
  readonly direction: 'forwards' | 'backwards';
  readonly limit: number;
  readonly offset: number;
}

export const checkList = (options: ListOptions): CheckedList => {
  const { prefix = '', from = '', before = null, direction = 'forwards' } = options;
  const { limit = LIMIT_DEFAULT, offset = 0 } = options;
  for (const bound of [prefix, from, before ?? '']) checkBound(bound);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    throw new ReadStoreError('invalid-options', `limit ${limit} is not 1 to ${LIMIT_MAX}`);
  }
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new ReadStoreError('invalid-options', `offset ${offset} is not 0 or above`);
  }
  const range = { atOrAfter: [prefix, from], before: [prefixEnd(prefix), before] } as const;
  return { ...range, direction, limit, offset };
};

const checkBound = (bound: string): void => {
  if (bound.isWellFormed() && !bound.includes('\0')) return;
  throw new ReadStoreError('invalid-options', 'a bound is malformed Unicode or holds a NUL');
};

const CODE_POINT_MAX = 0x10ffff;

/**
 * The first string after all that start with the prefix, or null where there is none. The order of
 * UTF-8 bytes is the order of code points: raise the last one that can be raised, past the
 * surrogates, which no well-formed string holds.
 */
export const prefixEnd = (prefix: string): string | null => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === CODE_POINT_MAX) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
};
