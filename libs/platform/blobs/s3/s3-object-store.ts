import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { BlobError } from '../blobs.errors.js';
import {
  ObjectChangedError,
  type ObjectName,
  type ObjectStore,
  type ObjectTail,
  type ObjectVersion,
  type StoredObject,
} from '../object-store.port.js';
import { type S3Target } from './s3-url.js';

/** S3 accepts no smaller part but the last, and 10,000 parts: 48 GiB. */
const PART_BYTES = 5 * 1_048_576;
const PARTS_AT_ONCE = 2;

/** Three attempts at a request end within the 30 seconds that a sweep has for a removal. */
export const S3_TIMES = {
  connectMs: 3_000,
  requestMs: 9_000,
  transferMs: 300_000,
  attempts: 3,
} as const;

export interface S3Times {
  readonly connectMs: number;
  /** Without a byte of the answer. */
  readonly requestMs: number;
  /** The same of uploads and copies: a server may copy the whole content before it answers. */
  readonly transferMs: number;
  readonly attempts: number;
}

/** Objects of a bucket, under a prefix. Nothing is asked of the server before the first use. */
export class S3ObjectStore implements ObjectStore {
  readonly #client: S3Client;
  readonly #transfers: S3Client;

  /** @throws BlobError when the environment names no region */
  constructor(
    private readonly target: S3Target,
    times: S3Times = S3_TIMES,
  ) {
    this.#client = clientOf(target, times, times.requestMs);
    this.#transfers = clientOf(target, times, times.transferMs);
  }

  async write(name: ObjectName, source: AsyncIterable<Uint8Array>): Promise<void> {
    const watched = new WatchedSource(source);
    const upload = new Upload({
      client: this.#transfers,
      params: { ...this.#of(name), Body: Readable.from(watched.pieces()) },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    });
    try {
      await upload.done();
    } catch (error) {
      throw watched.failure ?? unavailable(error);
    }
  }

  async mark(name: ObjectName): Promise<void> {
    const command = new PutObjectCommand({ ...this.#of(name), Body: '', ContentLength: 0 });
    await available(this.#client.send(command));
  }

  async copy(from: ObjectName, to: ObjectName): Promise<void> {
    const { Bucket, Key } = this.#of(from);
    const CopySource = encodeURI(`${Bucket}/${Key}`);
    await available(this.#transfers.send(new CopyObjectCommand({ ...this.#of(to), CopySource })));
  }

  async stat(name: ObjectName): Promise<StoredObject | undefined> {
    const command = new HeadObjectCommand(this.#of(name));
    const found = await present(this.#client.send(command));
    return found && storedObject(name, found.ContentLength, found.LastModified);
  }

  /** An empty object has no range; it is asked for whole. */
  async tail(name: ObjectName, bytesMax: number): Promise<ObjectTail | undefined> {
    const command = new GetObjectCommand({ ...this.#of(name), Range: `bytes=-${bytesMax}` });
    const found = await present(this.#client.send(command), UNSATISFIABLE);
    if (found === undefined) return undefined;
    if (found === UNSATISFIABLE) return { name, version: '', tail: new Uint8Array(), bytes: 0 };
    const tail = await available(found.Body?.transformToByteArray() ?? nothing());
    const [, total] = /\/(\d+)$/.exec(found.ContentRange ?? '') ?? [];
    const bytes = total === undefined ? tail.length : Number(total);
    return { name, version: found.ETag ?? '', tail, bytes };
  }

  async *read(
    { name, version }: ObjectVersion,
    start: number,
    end: number,
  ): AsyncGenerator<Uint8Array, void, void> {
    const ofVersion = { Range: `bytes=${start}-${end - 1}`, IfMatch: version };
    const body = await this.#bodyOf(new GetObjectCommand({ ...this.#of(name), ...ofVersion }));
    if (!body) throw new ObjectChangedError(name);
    try {
      for await (const bytes of body) yield bytes as Uint8Array;
    } catch (error) {
      throw unavailable(error);
    } finally {
      body.destroy();
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredObject, void, void> {
    const { Bucket, Key: Prefix } = this.#of(prefix);
    let after: string | undefined;
    do {
      const ContinuationToken = after;
      const command = new ListObjectsV2Command({
        Bucket,
        Prefix,
        ...(ContinuationToken !== undefined && { ContinuationToken }),
      });
      const page = await available(this.#client.send(command));
      for (const { Key = '', Size, LastModified } of page.Contents ?? []) {
        yield storedObject(Key.slice(this.target.prefix.length), Size, LastModified);
      }
      after = page.NextContinuationToken;
    } while (after !== undefined);
  }

  async remove(name: ObjectName): Promise<void> {
    await present(this.#client.send(new DeleteObjectCommand(this.#of(name))));
  }

  close(): Promise<void> {
    this.#client.destroy();
    this.#transfers.destroy();
    return Promise.resolve();
  }

  async #bodyOf(command: GetObjectCommand): Promise<Readable | undefined> {
    const found = await present(this.#client.send(command), CHANGED);
    return found === CHANGED || !(found?.Body instanceof Readable) ? undefined : found.Body;
  }

  #of(name: ObjectName): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.target.bucket, Key: `${this.target.prefix}${name}` };
  }
}

const clientOf = (
  { endpoint, region, pathStyle }: S3Target,
  { connectMs: connectionTimeout, attempts: maxAttempts }: S3Times,
  requestTimeout: number,
): S3Client =>
  new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    forcePathStyle: pathStyle,
    maxAttempts,
    requestHandler: { connectionTimeout, requestTimeout, throwOnRequestTimeout: true },
    // Other servers reject checksums that they do not know; content is verified by its seals.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

/** An error of the source is not one of the storage; an upload mixes them. */
class WatchedSource {
  failure: Error | undefined;

  constructor(private readonly source: AsyncIterable<Uint8Array>) {}

  async *pieces(): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* this.source;
    } catch (error) {
      if (error instanceof Error) this.failure = error;
      throw error;
    }
  }
}

/** Statuses of HTTP. */
const NOT_FOUND = 404;
const CHANGED = 412;
const UNSATISFIABLE = 416;

const nothing = (): Promise<Uint8Array> => Promise.resolve(new Uint8Array());

const storedObject = (
  name: ObjectName,
  bytes: number | undefined,
  modifiedAt: Date | undefined,
): StoredObject => ({ name, bytes: bytes ?? 0, modifiedAtMs: modifiedAt?.getTime() ?? 0 });

const available = async <Result>(work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    throw unavailable(error);
  }
};

/** The result, undefined where there is no such object, or the status where it is expected. */
const present = async <Result, Expected extends number = never>(
  work: Promise<Result>,
  expected?: Expected,
): Promise<Result | Expected | undefined> => {
  try {
    return await work;
  } catch (error) {
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    if (expected !== undefined && status === expected) return expected;
    if (status === NOT_FOUND && !isNoBucket(error)) return undefined;
    throw unavailable(error);
  }
};

const isNoBucket = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.name === 'NoSuchBucket';

const unavailable = (cause: unknown): BlobError => {
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new BlobError('blobs-unavailable', `S3: ${reason}`, { cause });
};
