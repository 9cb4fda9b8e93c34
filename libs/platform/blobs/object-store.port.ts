/**
 * The part of a storage technology that blobs need: named objects, without any meaning. An adapter
 * implements this; sealing, addresses, references and the sweep are above it, once.
 */

/** Words of `a-z 0-9 : . - _` with slashes between them. */
export type ObjectName = string;

export interface StoredObject {
  readonly name: ObjectName;
  readonly bytes: number;
  /** When it was last written or copied, by the clock of the storage. */
  readonly modifiedAtMs: number;
}

/** One content of a name: a copy gives the name another version. */
export interface ObjectVersion {
  readonly name: ObjectName;
  readonly version: string;
}

/** The end of an object, and how long the whole is. */
export interface ObjectTail extends ObjectVersion {
  readonly tail: Uint8Array;
  readonly bytes: number;
}

/** The name has another version than the one that was to be read, or none. */
export class ObjectChangedError extends Error {
  override readonly name = 'ObjectChangedError';

  constructor(changed: ObjectName) {
    super(`${changed} was replaced or removed`);
  }
}

/**
 * Every read and list sees every write, copy and removal that resolved before it started, in any
 * process. Errors of the technology become `BlobError` `blobs-unavailable`.
 */
export interface ObjectStore {
  /**
   * Durable when it resolves, in memory that does not depend on the size. A write that fails or is
   * killed may leave a part of the object under its name. An error of the source is thrown on.
   */
  write(name: ObjectName, source: AsyncIterable<Uint8Array>): Promise<void>;

  /** Creates an empty object, or sets the time of the one there. Durable when it resolves. */
  mark(name: ObjectName): Promise<void>;

  /** Atomic: readers of `to` see the object that was there, or all of this one. Durable. */
  copy(from: ObjectName, to: ObjectName): Promise<void>;

  stat(name: ObjectName): Promise<StoredObject | undefined>;

  /** The last bytes of the object, all of it if it is shorter; undefined if there is none. */
  tail(name: ObjectName, bytesMax: number): Promise<ObjectTail | undefined>;

  /**
   * Bytes from `start` up to but excluding `end`, which is after `start` and not after the end of
   * the object, in pieces whose memory may be reused for the next. An object that is replaced or
   * removed after the first byte is read to the end.
   * @throws ObjectChangedError from the iteration, before the first byte
   */
  read(version: ObjectVersion, start: number, end: number): AsyncIterable<Uint8Array>;

  /**
   * Objects whose name is the prefix and then a word without a slash, in no order. What is written
   * or removed meanwhile may or may not be listed.
   */
  list(prefix: string): AsyncIterable<StoredObject>;

  /** Removing what is not there changes nothing. */
  remove(name: ObjectName): Promise<void>;

  close(): Promise<void>;
}
