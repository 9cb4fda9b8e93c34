import { createHash } from 'node:crypto';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import {
  type BlobRef,
  Blobs,
  type OpenBlob,
  type PutOptions,
  type StoredBlob,
  type SweepReport,
} from '#platform/blobs/blobs.port.js';

/** Blobs in memory. A sweep removes what is not retained, however young it is. */
export class MemoryBlobs extends Blobs {
  readonly #contents = new Map<string, Buffer>();
  readonly #holders = new Map<string, Set<string>>();

  get addresses(): readonly string[] {
    return [...this.#contents.keys()];
  }

  /** Loses every content. */
  lose(): void {
    this.#contents.clear();
  }

  override async put(
    source: AsyncIterable<Uint8Array>,
    { owner }: PutOptions,
  ): Promise<StoredBlob> {
    const pieces: Uint8Array[] = [];
    for await (const piece of source) pieces.push(piece);
    const content = Buffer.concat(pieces);
    const address = createHash('sha256').update(`${owner}\n`).update(content).digest('hex');
    this.#contents.set(address, content);
    return { address, owner, bytes: content.length };
  }

  override open({ address }: BlobRef): Promise<OpenBlob> {
    const content = this.#contents.get(address);
    if (!content) return Promise.reject(new BlobError('blob-not-found', address));
    return Promise.resolve({ bytes: content.length, content: once(content) });
  }

  override retain({ address }: BlobRef, holder: string): Promise<void> {
    if (!this.#contents.has(address)) {
      return Promise.reject(new BlobError('blob-not-found', address));
    }
    this.#holders.set(address, (this.#holders.get(address) ?? new Set()).add(holder));
    return Promise.resolve();
  }

  protected override reportMissing(address: string, holder: string): void {
    throw new Error(`${holder} has lost ${address}`);
  }

  override release({ address }: BlobRef, holder: string): Promise<void> {
    this.#holders.get(address)?.delete(holder);
    return Promise.resolve();
  }

  override sweep(): Promise<SweepReport> {
    const loose = this.addresses.filter((address) => !this.#holders.get(address)?.size);
    for (const address of loose) this.#contents.delete(address);
    const blobsKept = this.#contents.size;
    return Promise.resolve({ blobsKept, blobsRemoved: loose.length, bytesFreed: 0 });
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

async function* once(content: Buffer): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(content);
}
