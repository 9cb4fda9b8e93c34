import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Clock } from '#platform/kernel/clock.js';
import { decodeFooter, encodeFooter, FOOTER_BYTES_MAX } from './blob.format.js';
import { BlobKeys, type BlobSecrets } from './blob.keys.js';
import {
  blobName,
  checkAddress,
  condemnedPrefix,
  referenceName,
  stagedName,
} from './blob.names.js';
import { BLOB_TIMES, type BlobTimes } from './blob.times.js';
import { BlobError } from './blobs.errors.js';
import {
  BLOB_BYTES_MAX,
  type BlobAddress,
  type BlobRange,
  type BlobRef,
  Blobs,
  type OpenBlob,
  type PutOptions,
  type StoredBlob,
  type SweepReport,
} from './blobs.port.js';
import {
  CHUNK_BYTES,
  CHUNK_KEY_BYTES,
  FRAME_BYTES,
  openChunk,
  piecesOf,
  sealChunk,
} from './chunk.seal.js';
import {
  ObjectChangedError,
  type ObjectName,
  type ObjectStore,
  type ObjectVersion,
} from './object-store.port.js';
import { sweepObjects } from './sweep.js';

const POLL_MS = 20;
/** How often a read begins again because the content is put again. */
const FINDS_MAX = 20;

export interface StoredBlobsOptions {
  /** Closed with the blobs. */
  readonly objects: ObjectStore;
  readonly secrets: BlobSecrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly times?: BlobTimes;
}

/** Seals blobs in chunks and keeps them as objects, on any storage technology. */
export class StoredBlobs extends Blobs {
  readonly #objects: ObjectStore;
  readonly #keys: BlobKeys;
  readonly #clock: Clock;
  readonly #times: BlobTimes;
  readonly #logger: Logger;
  #isClosed = false;

  constructor({ objects, secrets, clock, logger, times = BLOB_TIMES }: StoredBlobsOptions) {
    super();
    this.#objects = objects;
    this.#keys = new BlobKeys(secrets);
    this.#clock = clock;
    this.#times = times;
    this.#logger = logger;
  }

  override async put(
    source: AsyncIterable<Uint8Array>,
    { owner, bytesMax = BLOB_BYTES_MAX }: PutOptions,
  ): Promise<StoredBlob> {
    this.#checkOpen();
    const sealing = new Sealing(this.#keys, owner, Math.min(bytesMax, BLOB_BYTES_MAX));
    const staged = stagedName(randomUUID());
    try {
      await this.#objects.write(staged, sealing.frames(source));
      const blob = sealing.sealed();
      await this.#place(staged, blob.address);
      return blob;
    } finally {
      // A staged object that stays is collected by a sweep.
      await this.#objects.remove(staged).catch(() => undefined);
    }
  }

  override async open(ref: BlobRef, range: BlobRange = { start: 0 }): Promise<OpenBlob> {
    this.#checkOpen();
    const found = await this.#find(ref);
    const { start, end } = within(range, found.bytes);
    return { bytes: found.bytes, content: this.#content(found, start, end) };
  }

  override async retain({ address }: BlobRef, holder: string): Promise<void> {
    this.#checkOpen();
    const name = blobName(address);
    const reference = referenceName(address, holder);
    if (!(await this.#objects.stat(name))) throw notFound(address);
    await this.#objects.mark(reference);
    await this.#settled(address);
    if (await this.#objects.stat(name)) return;
    await this.#objects.remove(reference);
    throw notFound(address);
  }

  protected override reportMissing(address: BlobAddress, holder: string): void {
    this.#logger.error({ address, holder }, 'a blob that is to be kept is missing: restore it');
  }

  override async release({ address }: BlobRef, holder: string): Promise<void> {
    this.#checkOpen();
    await this.#objects.remove(referenceName(address, holder));
  }

  override async sweep(): Promise<SweepReport> {
    this.#checkOpen();
    return sweepObjects(this.#objects, this.#clock, this.#times);
  }

  override async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#objects.close();
  }

  /** Puts the staged object under the address, again if a sweep has removed the one there. */
  async #place(staged: ObjectName, address: BlobAddress): Promise<void> {
    const name = blobName(address);
    do {
      await this.#objects.copy(staged, name);
      await this.#settled(address);
    } while (!(await this.#objects.stat(name)));
  }

  /** Resolves when no sweep is removing the blob any more. */
  async #settled(address: BlobAddress): Promise<void> {
    const prefix = condemnedPrefix(address);
    const since = performance.now();
    for (;;) {
      const condemning: ObjectName[] = [];
      for await (const { name } of this.#objects.list(prefix)) condemning.push(name);
      if (condemning.length === 0) return;
      if (performance.now() - since > this.#times.abandonedMs) {
        await Promise.all(condemning.map((name) => this.#objects.remove(name)));
        return;
      }
      await sleep(POLL_MS);
    }
  }

  async #find(ref: BlobRef): Promise<FoundBlob> {
    const { address } = ref;
    const name = blobName(address);
    const object = await this.#objects.tail(name, FOOTER_BYTES_MAX);
    if (!object) throw notFound(address);
    const footer = decodeFooter(Buffer.from(object.tail), object.bytes);
    if (!footer) throw new BlobError('blob-damaged', `${address} has no footer of a blob`);
    const key = await this.#keys.open(ref, footer.sealedKey);
    return { ref, name, version: object.version, key, bytes: footer.bytes };
  }

  /** A put of equal content replaces the object, and its key. */
  async *#content(
    opened: FoundBlob,
    start: number,
    end: number,
  ): AsyncGenerator<Uint8Array, void, void> {
    const isWhole = start === 0 && end === opened.bytes;
    let found = opened;
    for (let finds = 1; ; finds += 1) {
      try {
        yield* isWhole ? this.#whole(found) : this.#part(found, start, end);
        return;
      } catch (error) {
        if (!(error instanceof ObjectChangedError)) throw error;
        if (finds === FINDS_MAX) throw alwaysChanged(opened.ref, error);
        found = await this.#find(opened.ref);
      }
    }
  }

  async *#whole(found: FoundBlob): AsyncGenerator<Uint8Array, void, void> {
    const { ref, key } = found;
    const hash = createHash('sha256');
    const frames = this.#objects.read(found, 0, framesEnd(found.bytes));
    let index = 0;
    for await (const { bytes: frame, isLast } of piecesOf(frames, FRAME_BYTES)) {
      const chunk = openChunk(key, index, isLast, frame);
      index += 1;
      hash.update(chunk);
      if (isLast && this.#keys.addressOf(ref.owner, hash.digest()) !== ref.address) {
        throw new BlobError('blob-damaged', `${ref.address} has other content`);
      }
      if (chunk.length > 0) yield chunk;
    }
  }

  async *#part(
    found: FoundBlob,
    start: number,
    end: number,
  ): AsyncGenerator<Uint8Array, void, void> {
    if (start === end) return;
    const chunks = Math.ceil(found.bytes / CHUNK_BYTES);
    const endIndex = Math.ceil(end / CHUNK_BYTES);
    let index = Math.floor(start / CHUNK_BYTES);
    const to = Math.min(endIndex * FRAME_BYTES, framesEnd(found.bytes));
    const frames = this.#objects.read(found, index * FRAME_BYTES, to);
    for await (const { bytes: frame } of piecesOf(frames, FRAME_BYTES)) {
      const chunk = openChunk(found.key, index, index === chunks - 1, frame);
      const from = index * CHUNK_BYTES;
      index += 1;
      if (index === endIndex) yield chunk.subarray(Math.max(start - from, 0), end - from);
      else yield chunk.subarray(Math.max(start - from, 0));
    }
    if (index !== endIndex) throw new BlobError('blob-damaged', `${found.name} is cut short`);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new BlobError('blobs-unavailable', 'the blobs are closed');
  }
}

interface FoundBlob extends ObjectVersion {
  readonly ref: BlobRef;
  readonly key: Buffer;
  /** Of the content. */
  readonly bytes: number;
}

/** One put: its chunks as they are sealed, and the blob they make. */
class Sealing {
  readonly #key = randomBytes(CHUNK_KEY_BYTES);
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #blob: StoredBlob | undefined;

  constructor(
    private readonly keys: BlobKeys,
    private readonly owner: string | null,
    private readonly bytesMax: number,
  ) {}

  async *frames(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    let index = 0;
    for await (const { bytes, isLast } of piecesOf(source, CHUNK_BYTES)) {
      this.#bytes += bytes.length;
      if (this.#bytes > this.bytesMax) {
        throw new BlobError('blob-too-large', `the content has more than ${this.bytesMax} bytes`);
      }
      this.#hash.update(bytes);
      yield sealChunk(this.#key, index, isLast, bytes);
      index += 1;
    }
    const address = this.keys.addressOf(this.owner, this.#hash.digest());
    this.#blob = { address, owner: this.owner, bytes: this.#bytes };
    yield encodeFooter(await this.keys.seal(this.#blob, this.#key));
  }

  /** After the last frame. */
  sealed(): StoredBlob {
    if (!this.#blob) throw new Error('the storage did not take the whole content');
    return this.#blob;
  }
}

/** Where the frames of so much content end in the object. */
const framesEnd = (bytes: number): number => {
  const frames = Math.max(Math.ceil(bytes / CHUNK_BYTES), 1);
  return bytes + frames * (FRAME_BYTES - CHUNK_BYTES);
};

const within = ({ start, end = Infinity }: BlobRange, bytes: number): Required<BlobRange> => {
  const isRange = Number.isSafeInteger(start) && start >= 0 && start <= end && !Number.isNaN(end);
  if (!isRange) throw new BlobError('invalid-range', `no range: ${start} to ${end}`);
  if (start > bytes) throw new BlobError('invalid-range', `${start} is after ${bytes} bytes`);
  return { start, end: Math.min(end, bytes) };
};

const alwaysChanged = ({ address }: BlobRef, cause: Error): BlobError =>
  new BlobError('blobs-unavailable', `${address} is replaced at each read`, { cause });

const notFound = (address: BlobAddress): BlobError =>
  new BlobError('blob-not-found', `there is no blob ${checkAddress(address)}`);
