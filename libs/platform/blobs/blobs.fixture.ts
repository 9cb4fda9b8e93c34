import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from '@jest/globals';
import { pino } from 'pino';
import { openSecrets, type Secrets } from '#platform/secrets/secrets.js';
import { blobName } from './blob.names.js';
import { BLOB_TIMES, type BlobTimes } from './blob.times.js';
import { type BlobErrorCode } from './blobs.errors.js';
import { type BlobRange, type BlobRef, type Blobs } from './blobs.port.js';
import { type ObjectName, type ObjectStore } from './object-store.port.js';
import { StoredBlobs } from './stored-blobs.js';

/** One storage, with as many handles as a test opens. */
export interface ObjectsUnderTest {
  /** Another handle on the same objects, as another process would have. */
  open(): Promise<ObjectStore>;
  /** Deletes the objects. */
  remove(): Promise<void>;
}

export const ADA = 'user:ada';
export const BOB = 'user:bob';
export const OWNERS = [null, ADA] as const;

/** Bytes that look random and are the same in every run. */
export const bytesOf = (length: number, seed = 1): Buffer => {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
};

/** The bytes in pieces of this size. */
export async function* sourceOf(bytes: Buffer, size = 10_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const gather = async (pieces: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const gathered: Uint8Array[] = [];
  for await (const piece of pieces) gathered.push(piece);
  return Buffer.concat(gathered);
};

export const failed = (code: BlobErrorCode): unknown =>
  expect.objectContaining({ name: 'BlobError', code });

/** The handles, objects and secrets of a test, which end with it. */
export class BlobsStage {
  blobs!: Blobs;
  /** The objects themselves, to look at and to damage. */
  objects!: ObjectStore;
  /** The clock of the blobs; the storage has its own. */
  now = Date.now;
  /** The logged lines, as JSON. */
  readonly logged: string[] = [];
  readonly #logger = pino({}, { write: (line: string) => this.logged.push(line) });
  #underTest!: ObjectsUnderTest;
  #secrets!: Secrets;
  #folder = '';
  #handles: { close(): Promise<void> }[] = [];

  /** The keys of owners. */
  get secrets(): Pick<Secrets, 'subjects'> {
    return this.#secrets;
  }

  async begin(create: () => Promise<ObjectsUnderTest>): Promise<void> {
    this.now = Date.now;
    this.#handles = [];
    this.#underTest = await create();
    this.#folder = await mkdtemp(path.join(tmpdir(), 'quipu-blobs-'));
    this.#secrets = await openSecrets({ directory: this.#folder });
    this.objects = await this.#underTest.open();
    this.#handles.push(this.objects);
    this.blobs = await this.open();
  }

  async open(times: BlobTimes = BLOB_TIMES): Promise<Blobs> {
    const objects = await this.#underTest.open();
    const clock = { now: () => this.now() };
    const blobs = new StoredBlobs({
      objects,
      secrets: this.#secrets,
      clock,
      logger: this.#logger,
      times,
    });
    this.#handles.push(blobs);
    return blobs;
  }

  /** Stops the clock of the blobs. */
  stopClock(nowMs: number): void {
    this.now = () => nowMs;
  }

  erase(owner: string): Promise<void> {
    return this.#secrets.subjects.erase(owner);
  }

  put(bytes: Buffer, owner: string | null = null): Promise<BlobRef & { readonly bytes: number }> {
    return this.blobs.put(sourceOf(bytes), { owner });
  }

  async read(ref: BlobRef, range?: BlobRange): Promise<Buffer> {
    return gather((await this.blobs.open(ref, range)).content);
  }

  /** The bytes of the object of a blob. */
  async objectOf({ address }: BlobRef): Promise<Buffer> {
    const found = await this.objects.tail(blobName(address), Number.MAX_SAFE_INTEGER);
    if (!found) throw new Error('there is no object');
    return Buffer.from(found.tail);
  }

  async overwrite({ address }: BlobRef, bytes: Buffer): Promise<void> {
    await this.objects.write('staging/damaged', sourceOf(bytes));
    await this.objects.copy('staging/damaged', blobName(address));
    await this.objects.remove('staging/damaged');
  }

  async names(prefix: string): Promise<readonly ObjectName[]> {
    const names: ObjectName[] = [];
    for await (const { name } of this.objects.list(prefix)) names.push(name);
    return names.sort();
  }

  async end(): Promise<void> {
    for (const handle of this.#handles) await handle.close();
    this.#secrets.close();
    await this.#underTest.remove();
    await rm(this.#folder, { recursive: true });
  }
}
