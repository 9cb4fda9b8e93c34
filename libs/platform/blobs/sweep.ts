import { randomUUID } from 'node:crypto';
import { type Clock } from '#platform/kernel/clock.js';
import {
  addressOfBlob,
  addressOfReference,
  blobsOfShard,
  CONDEMNED,
  condemnedName,
  referencesOfShard,
  referencesPrefix,
  SHARDS,
  STAGING,
} from './blob.names.js';
import { type BlobTimes } from './blob.times.js';
import { type BlobAddress, type SweepReport } from './blobs.port.js';
import { type ObjectStore, type StoredObject } from './object-store.port.js';

/**
 * Removes blobs without a reference that were put more than `keptMs` ago, and what puts and sweeps
 * left behind when they were killed.
 *
 * A sweep condemns a blob with an object of its own, and then looks at the blob and its references
 * again. A put or a retain writes first, then waits until no sweep condemns the blob, and then
 * looks whether the blob is there. So of a sweep and a put (or a retain) of one blob, at least one
 * sees the other: the sweep keeps the blob, or the put repeats itself and the retain fails.
 */
export const sweepObjects = async (
  objects: ObjectStore,
  clock: Clock,
  times: BlobTimes,
): Promise<SweepReport> => {
  const sweep = new Sweep(objects, clock, times);
  for (const shard of SHARDS) await sweep.shard(shard);
  await sweep.leftovers(STAGING);
  await sweep.leftovers(CONDEMNED);
  return sweep.report();
};

class Sweep {
  #blobsKept = 0;
  #blobsRemoved = 0;
  #bytesFreed = 0;

  constructor(
    private readonly objects: ObjectStore,
    private readonly clock: Clock,
    private readonly times: BlobTimes,
  ) {}

  async shard(shard: string): Promise<void> {
    const referenced = new Set<BlobAddress>();
    for await (const { name } of this.objects.list(referencesOfShard(shard))) {
      referenced.add(addressOfReference(name));
    }
    for await (const blob of this.objects.list(blobsOfShard(shard))) {
      const address = addressOfBlob(blob.name);
      const isKept = referenced.has(address) || this.#isFresh(blob);
      if (isKept || !(await this.#remove(blob, address))) this.#blobsKept += 1;
    }
  }

  /** Objects of a put or a sweep that was killed; a living one is younger. */
  async leftovers(prefix: string): Promise<void> {
    for await (const left of this.objects.list(prefix)) {
      if (this.#isFresh(left)) continue;
      await this.objects.remove(left.name);
      this.#bytesFreed += left.bytes;
    }
  }

  report(): SweepReport {
    return {
      blobsKept: this.#blobsKept,
      blobsRemoved: this.#blobsRemoved,
      bytesFreed: this.#bytesFreed,
    };
  }

  async #remove({ name }: StoredObject, address: BlobAddress): Promise<boolean> {
    const condemned = condemnedName(address, randomUUID());
    await this.objects.mark(condemned);
    const since = performance.now();
    try {
      const blob = await this.objects.stat(name);
      if (!blob || this.#isFresh(blob) || (await this.#isReferenced(address))) return false;
      // A process that was stopped here for long no longer knows that it is waited for.
      if (performance.now() - since > this.times.condemnedMs) return false;
      await this.objects.remove(name);
      this.#blobsRemoved += 1;
      this.#bytesFreed += blob.bytes;
      return true;
    } finally {
      await this.objects.remove(condemned);
    }
  }

  async #isReferenced(address: BlobAddress): Promise<boolean> {
    for await (const _reference of this.objects.list(referencesPrefix(address))) return true;
    return false;
  }

  #isFresh({ modifiedAtMs }: StoredObject): boolean {
    return this.clock.now() - modifiedAtMs < this.times.keptMs;
  }
}
