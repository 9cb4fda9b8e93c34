import { Inject, Injectable } from '@nestjs/common';
import { notFound } from './adapters.errors.js';
import { StoredAdapters, type UploadedAdapter } from './stored-adapters.js';
import { ShippedAdapters } from './shipped-adapters.js';
import { type AdapterManifest, type ShippedCard } from './shipped-card.js';

/** An adapter that a caller may use. */
export interface VaultEntry {
  /** The slug of a shipped one. */
  readonly adapterId: string;
  readonly slug: string;
  readonly category: string;
  readonly baseModel: string;
  readonly baseSha256: string;
  readonly rank: number;
  readonly alpha: number;
  readonly bytes: number;
  /** Of the weights, in lower-case hex. */
  readonly sha256: string;
  readonly source: 'shipped' | 'uploaded';
  readonly description: string | null;
  /** Nats per token of held-out answers; null where it was not measured. */
  readonly heldOut: ShippedCard['heldOut'] | null;
  readonly sample: ShippedCard['sample'] | null;
  /** Null for a shipped one. */
  readonly uploadedAt: string | null;
}

/** An entry, with its weights. */
export interface FoundAdapter {
  readonly entry: VaultEntry;
  readonly weights: () => Promise<Buffer>;
}

/** The shipped adapters, and the uploaded ones of an account. */
@Injectable()
export class AdapterVault {
  constructor(
    private readonly shipped: ShippedAdapters,
    @Inject(StoredAdapters) private readonly stored: Pick<StoredAdapters, 'find' | 'weights'>,
  ) {}

  /** In the order of their slugs. */
  async shippedEntries(): Promise<readonly VaultEntry[]> {
    const manifest = await this.shipped.manifest();
    return manifest?.adapters.map((card) => shippedEntry(card, manifest)) ?? [];
  }

  /**
   * By id or slug. A shipped slug cannot be taken by an upload.
   * @throws DomainError `adapter_not_found`, also for the adapter of another account
   */
  async find(accountId: string, asked: string): Promise<FoundAdapter> {
    const manifest = await this.shipped.manifest();
    const card = manifest?.adapters.find(({ slug }) => slug === asked);
    if (manifest && card) {
      return { entry: shippedEntry(card, manifest), weights: () => this.shipped.weights(card) };
    }
    const adapter = (await this.stored.find(accountId, asked)) ?? notFound(asked);
    return { entry: uploadedEntry(adapter), weights: () => this.stored.weights(adapter) };
  }
}

const shippedEntry = (card: ShippedCard, manifest: AdapterManifest): VaultEntry => ({
  adapterId: card.slug,
  slug: card.slug,
  category: card.category,
  baseModel: manifest.baseModel,
  baseSha256: manifest.baseSha256,
  rank: manifest.rank,
  alpha: manifest.alpha,
  bytes: card.bytes,
  sha256: card.sha256,
  source: 'shipped',
  description: card.description,
  heldOut: card.heldOut,
  sample: card.sample,
  uploadedAt: null,
});

export const uploadedEntry = (adapter: Omit<UploadedAdapter, 'blob'>): VaultEntry => ({
  adapterId: adapter.adapterId,
  slug: adapter.slug,
  category: adapter.category,
  baseModel: adapter.baseModel,
  baseSha256: adapter.baseSha256,
  rank: adapter.rank,
  alpha: adapter.alpha,
  bytes: adapter.bytes,
  sha256: adapter.sha256,
  source: 'uploaded',
  description: null,
  heldOut: null,
  sample: null,
  uploadedAt: adapter.uploadedAt,
});
