import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TraceStep } from './event-store.trace.js';

/** Gives numbers from 0 up to 1, the same ones for the same seed. */
export type Random = () => number;

/** mulberry32: small, and good enough to pick which writes survive. */
export const randomOf = (seed: number): Random => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** A disk writes sectors whole, and may stop between two of them. */
const SECTOR_BYTES = 512;

type Change = Extract<TraceStep, { kind: 'write' | 'truncate' }>;

interface FileOnDisk {
  readonly synced: Content;
  pending: { readonly at: number; readonly change: Change }[];
  /** The step that removed it; until its folder is synced the removal may be lost. */
  unlinkedAt: number | null;
}

/** Bytes that grow as they are written to. */
class Content {
  #room: Buffer;
  #size: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#room = Buffer.from(bytes);
    this.#size = bytes.length;
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#size);
  }

  apply(change: Change): void {
    if (change.kind === 'truncate') {
      this.#room.fill(0, Math.min(change.size, this.#room.length));
      this.#reserve(change.size);
      this.#size = change.size;
      return;
    }
    const end = change.offset + change.bytes.length;
    this.#reserve(end);
    change.bytes.copy(this.#room, change.offset);
    this.#size = Math.max(this.#size, end);
  }

  #reserve(size: number): void {
    if (size <= this.#room.length) return;
    const room = Buffer.alloc(2 * size);
    this.bytes.copy(room);
    this.#room = room;
  }
}

/** Keeps each sector of a write or loses it. */
const torn = (change: Change, random: Random): Change[] => {
  if (change.kind === 'truncate') return [change];
  const { bytes, offset } = change;
  const sectors: Change[] = [];
  for (let at = 0; at < bytes.length; at += SECTOR_BYTES) {
    if (random() < 0.5) continue;
    const sector = bytes.subarray(at, at + SECTOR_BYTES);
    sectors.push({ ...change, bytes: sector, offset: offset + at });
  }
  return sectors;
};

const survivors = (change: Change, random: Random): Change[] => {
  const fate = random();
  if (fate < 0.45) return [change];
  return fate < 0.9 ? [] : torn(change, random);
};

/**
 * Files as a disk without power would leave them: what was synced is there, and of everything else
 * any part may be. Shared-memory files are left out, as SQLite rebuilds them.
 */
export class CrashDisk {
  readonly #files = new Map<string, FileOnDisk>();

  apply(step: TraceStep, at: number): void {
    if (step.kind === 'report' || step.file.endsWith('-shm')) return;
    switch (step.kind) {
      case 'write':
      case 'truncate':
        this.#open(step.file).pending.push({ at, change: step });
        return;
      case 'unlink':
        this.#open(step.file).unlinkedAt = at;
        return;
      case 'sync':
        this.#sync(step.file, step.began);
    }
  }

  /** Writes one of the states that a power cut now could leave into a folder. */
  async crashInto(folder: string, random: Random): Promise<void> {
    await Promise.all(
      [...this.#files].map(async ([file, { synced, pending, unlinkedAt }]) => {
        const target = path.join(folder, path.basename(file));
        await rm(target, { force: true });
        if (unlinkedAt !== null && random() < 0.5) return;
        const content = new Content(synced.bytes);
        for (const { change } of pending) {
          for (const survivor of survivors(change, random)) content.apply(survivor);
        }
        if (content.bytes.length > 0) await writeFile(target, content.bytes);
      }),
    );
  }

  #open(file: string): FileOnDisk {
    const known = this.#files.get(file);
    if (known !== undefined && known.unlinkedAt === null) return known;
    const created: FileOnDisk = { synced: new Content(), pending: [], unlinkedAt: null };
    this.#files.set(file, created);
    return created;
  }

  #sync(file: string, began: number): void {
    for (const [name, { unlinkedAt }] of this.#files) {
      const inFolder = path.dirname(name) === file;
      if (inFolder && unlinkedAt !== null && unlinkedAt < began) this.#files.delete(name);
    }
    const synced = this.#files.get(file);
    if (synced === undefined) return;
    for (const { at, change } of synced.pending) if (at < began) synced.synced.apply(change);
    synced.pending = synced.pending.filter(({ at }) => at >= began);
  }
}
