import { createHmac } from 'node:crypto';
import { openBox, sealBox, SealBrokenError } from '#platform/secrets/sealed-box.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { BlobError } from './blobs.errors.js';
import { type BlobAddress, type BlobRef } from './blobs.port.js';

/** The secrets of the installation that blobs need. */
export type BlobSecrets = Pick<Secrets, 'key' | 'subjects'>;

/** The addresses of blobs, and the keys that seal them. */
export class BlobKeys {
  readonly #addressKey: Buffer;
  readonly #installationKey: Buffer;

  constructor(private readonly secrets: BlobSecrets) {
    this.#addressKey = secrets.key('blob-addresses');
    this.#installationKey = secrets.key('blobs');
  }

  /**
   * The hash itself where there is no owner. With one, a keyed hash of owner and hash: an address
   * does not show that two owners have equal content, and does not confirm a guess of the content.
   */
  addressOf(owner: string | null, sha256: Buffer): BlobAddress {
    if (owner === null) return sha256.toString('hex');
    const text = `${owner}\n${sha256.toString('hex')}`;
    return createHmac('sha256', this.#addressKey).update(text).digest('hex');
  }

  /**
   * Seals the key of a blob's chunks for its address and owner.
   * @throws SubjectErasedError
   */
  async seal({ address, owner }: BlobRef, key: Buffer): Promise<string> {
    const field = fieldOf(address);
    if (owner !== null) return this.secrets.subjects.seal(owner, field, key.toString('base64url'));
    return sealBox(this.#installationKey, field, key).toString('base64url');
  }

  /** @throws BlobError `blob-erased`, `blob-damaged` */
  async open({ address, owner }: BlobRef, sealedKey: string): Promise<Buffer> {
    const field = fieldOf(address);
    try {
      if (owner === null) {
        return openBox(this.#installationKey, field, Buffer.from(sealedKey, 'base64url'));
      }
      const key = await this.secrets.subjects.open(owner, field, sealedKey);
      if (key !== null) return Buffer.from(key, 'base64url');
    } catch (cause) {
      if (!(cause instanceof SealBrokenError)) throw cause;
      const detail = `the key of ${address} does not open for this owner`;
      throw new BlobError('blob-damaged', detail, { cause });
    }
    throw new BlobError('blob-erased', `the key of the owner of ${address} was erased`);
  }
}

const fieldOf = (address: BlobAddress): string => `blob:${address}`;
