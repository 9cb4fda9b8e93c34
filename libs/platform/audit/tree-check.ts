import { EventHasher, storedFieldsOf } from '#platform/event-store/event.chain.js';
import {
  type EventStore,
  type Position,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import {
  type ChainCheckOptions,
  type ChainReport,
  type DamagedEvent,
  type LogChain,
} from '#platform/event-store/log-chain.port.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type Checkpoint } from './checkpoint.js';
import { Frontier } from './frontier.js';
import { HASH_BYTES } from './merkle.js';
import { TileBuilder } from './tile-builder.js';
import { readTile, tileKey } from './tile-documents.js';
import { TILE_WIDTH } from './tiles.js';
import { type Leaf, TreeReader } from './tree-reader.js';

/** A leaf that differs from the event at its place in the log. */
export interface DifferingLeaf extends DamagedEvent {
  readonly leaf: number;
}

export interface TreeReport extends ChainReport {
  /** Leaves of the stored tree that were compared. */
  readonly leaves: number;
  /** The first leaf that differs, or null. */
  readonly firstDifference: DifferingLeaf | null;
  /** Stored tiles above the leaves that their hashes do not add up to. */
  readonly damagedTiles: readonly string[];
  /** The `checkpoints` whose root differs from the root of the log at their size. */
  readonly contradicted: readonly Pick<Checkpoint, 'size' | 'root'>[];
}

export interface TreeCheckOptions extends ChainCheckOptions {
  /** The published checkpoints of this log. */
  readonly checkpoints?: readonly Pick<Checkpoint, 'size' | 'root'>[];
}

/**
 * Compares every event of the log with its leaf, every tile with the hashes below it, and the roots
 * of the log with the roots of checkpoints, which needs no tree. It ends with the last leaf or the
 * largest checkpoint: the events after them are not published yet.
 */
export class TreeCheck implements LogChain {
  constructor(
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
  ) {}

  async check(options: TreeCheckOptions): Promise<TreeReport> {
    const { upTo, onProgress, signal, checkpoints = [] } = options;
    const reader = new TreeReader(this.readStore);
    const { size } = await reader.extent();
    const leaves = leavesOf(reader, size);
    const comparison = new Comparison(this.readStore, checkpoints);
    const onDamaged = (one: DamagedEvent): void => comparison.unreadable(one);
    let leaf = await next(leaves);
    const passMissing = async (before: Position): Promise<void> => {
      for (; leaf && leaf.position < before; leaf = await next(leaves)) {
        await comparison.missing(leaf);
      }
    };
    for await (const page of this.eventStore.readAll({ onDamaged })) {
      signal?.throwIfAborted();
      for (const event of page) {
        await passMissing(event.position);
        if (event.position > upTo || (!leaf && comparison.isDone)) return comparison.report();
        if (!leaf) comparison.unbuilt(event);
        else if (leaf.position === event.position) {
          await comparison.compare(event, leaf);
          leaf = await next(leaves);
        } else comparison.unknown(event, leaf);
      }
      onProgress?.(page.at(-1)?.position ?? comparison.position);
    }
    await passMissing(upTo + 1n);
    return comparison.report();
  }
}

async function* leavesOf(reader: TreeReader, size: number): AsyncGenerator<Leaf> {
  for (let index = 0; index < size; index += 1) yield await reader.leaf(index);
}

const next = async (leaves: AsyncGenerator<Leaf>): Promise<Leaf | undefined> => {
  const result = await leaves.next();
  return result.done ? undefined : result.value;
};

class Comparison {
  readonly #hasher = new EventHasher();
  /** Of the events as they are in the log. */
  readonly #log = new Frontier();
  /** Of the leaves as they are stored. */
  readonly #tree = new Frontier();
  readonly #tiles = new TileBuilder();
  readonly #damaged = new Map<Position, DamagedEvent>();
  readonly #damagedTiles: string[] = [];
  readonly #contradicted: Pick<Checkpoint, 'size' | 'root'>[] = [];
  #firstDifference: DifferingLeaf | null = null;
  #events = 0;
  #position: Position = 0n;

  constructor(
    private readonly readStore: ReadStore,
    private readonly checkpoints: readonly Pick<Checkpoint, 'size' | 'root'>[],
  ) {}

  get position(): Position {
    return this.#position;
  }

  /** Whether no larger checkpoint is to be compared. */
  get isDone(): boolean {
    return this.checkpoints.every(({ size }) => size <= this.#log.size);
  }

  /** An event that a checkpoint may cover, and the tree does not have yet. */
  unbuilt(event: RecordedEvent): void {
    this.#logged(this.#hasher.leafHash(storedFieldsOf(event)));
  }

  async compare(event: RecordedEvent, leaf: Leaf): Promise<void> {
    const { position, stream } = event;
    const hash = this.#hasher.leafHash(storedFieldsOf(event));
    this.#logged(hash);
    if (!hash.equals(leaf.hash)) {
      this.#differs(leaf.index, {
        position,
        stream,
        reason: 'it differs from the appended event',
      });
    }
    await this.#stored(leaf);
  }

  /** An event without a leaf. */
  unknown(event: RecordedEvent, { index }: Leaf): void {
    const { position, stream } = event;
    this.#logged(this.#hasher.leafHash(storedFieldsOf(event)));
    this.#differs(index, { position, stream, reason: 'it was not there when the tree was built' });
  }

  /** A leaf without an event. */
  async missing(leaf: Leaf): Promise<void> {
    const { position } = leaf;
    const known = this.#damaged.get(position);
    this.#differs(leaf.index, known ?? { position, stream: null, reason: 'it is missing' });
    await this.#stored(leaf);
  }

  unreadable(one: DamagedEvent): void {
    this.#damaged.set(one.position, one);
  }

  report(): TreeReport {
    const size = this.#tree.size;
    return {
      events: this.#events,
      leaves: size,
      position: this.#position,
      hash: size === 0 ? null : this.#tree.root().toString('hex'),
      damaged: [...this.#damaged.values()].sort((one, other) =>
        one.position < other.position ? -1 : 1,
      ),
      firstDifference: this.#firstDifference,
      damagedTiles: this.#damagedTiles,
      contradicted: [
        ...this.#contradicted,
        ...this.checkpoints.filter((one) => one.size > this.#log.size),
      ],
    };
  }

  #logged(hash: Buffer): void {
    this.#events += 1;
    this.#log.push(hash);
    for (const checkpoint of this.checkpoints) {
      if (checkpoint.size !== this.#log.size) continue;
      if (!this.#log.root().equals(checkpoint.root)) this.#contradicted.push(checkpoint);
    }
  }

  async #stored({ hash, position }: Leaf): Promise<void> {
    this.#position = position;
    this.#tree.push(hash);
    for (const tile of this.#tiles.append(hash)) {
      if (tile.level === 0) continue;
      await this.#compareTile(tile.level, tile.index, tile.hashes);
    }
    const { size } = this.#tiles;
    if (size % TILE_WIDTH !== 0) return;
    for (const { level, index, hashes } of this.#tiles.takePartial()) {
      await this.#compareTile(level, index, hashes);
    }
  }

  /** The stored tile may have grown since. */
  async #compareTile(level: number, index: number, hashes: Buffer): Promise<void> {
    const stored = await readTile(this.readStore, { level, index });
    const width = hashes.length / HASH_BYTES;
    const last = hashes.subarray((width - 1) * HASH_BYTES);
    const there = stored?.hashes.subarray((width - 1) * HASH_BYTES, width * HASH_BYTES);
    if (there?.equals(last) === true) return;
    this.#damagedTiles.push(tileKey({ level, index }));
  }

  #differs(leaf: number, one: DamagedEvent): void {
    this.#firstDifference ??= { leaf, ...one };
    this.#damaged.set(one.position, one);
  }
}
