import { expect } from '@jest/globals';
import { type ReadStoreErrorCode } from './read-store.errors.js';
import { type DocumentWrite, type ListOptions, type ReadStore } from './read-store.port.js';

/** One store, reached through as many handles as a test opens. */
export interface ReadStoreUnderTest {
  /** Another handle on the same documents, as another process would have. */
  open(): Promise<ReadStore>;
  /** Deletes the documents; the handles are closed by then. */
  remove(): Promise<void>;
}

/** A store for one test, and its handles. */
export interface ReadStoreStage {
  /** The first handle. A test that closes it assigns another. */
  store: ReadStore;
  open(): Promise<ReadStore>;
  /** The keys of `USAGE`, in the order of the list. */
  keys(options?: ListOptions): Promise<string[]>;
}

export const USAGE = 'tenant-usage.v1';

export const put = (
  key: string,
  position: bigint,
  document: object = { at: position.toString() },
) => ({ collection: USAGE, key, document, position });

export const remove = (key: string, position: bigint): DocumentWrite => ({
  collection: USAGE,
  key,
  document: null,
  position,
});

export const at = (position: bigint, name = USAGE) => ({ name, position });

/** Matches a ReadStoreError. */
export const rejected = (code: ReadStoreErrorCode): unknown =>
  expect.objectContaining({ name: 'ReadStoreError', code });
