import { LRUCache } from 'lru-cache';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import {
  consistencyRanges,
  foldNodes,
  HASH_BYTES,
  inclusionRanges,
  type LeafRange,
  nodesOf,
  rootOfHashes,
  type TreeNode,
} from './merkle.js';
import {
  positionIn,
  readExtent,
  readTile,
  type RequestDocument,
  requestPrefix,
  REQUESTS,
  type StoredTile,
  tileKey,
  TREE,
  type TreeExtent,
} from './tile-documents.js';
import { TILE_WIDTH, type TileName, tileOf } from './tiles.js';

/** Tiles in memory: 8 KiB of hashes each, and 2 KiB of positions. */
const TILES_CACHED_MAX = 512;
/** Hashes of complete subtrees that are in no tile. */
const NODES_CACHED_MAX = 16_384;

/** The tree is not built so far yet, or its tiles are damaged. */
export class MissingTileError extends Error {
  override readonly name = 'MissingTileError';
}

export interface WholeExtent extends TreeExtent {
  /** The tree has every event of Quipu up to the head that it was compared with. */
  readonly isWhole: boolean;
}

export interface Leaf {
  readonly index: number;
  readonly hash: Buffer;
  readonly position: Position;
}

/** Reads the tree that `TreeKeeper` builds, in this process or in another. */
export class TreeReader {
  /** A tile only grows: one that is wide enough is as good as the stored one. */
  readonly #tiles = new LRUCache<string, StoredTile>({ max: TILES_CACHED_MAX });
  readonly #nodes = new LRUCache<string, Buffer>({ max: NODES_CACHED_MAX });

  constructor(private readonly readStore: ReadStore) {}

  /** How far the tree has come. */
  async extent(): Promise<TreeExtent> {
    return readExtent(this.readStore, (await this.readStore.checkpoint(TREE)) ?? 0n);
  }

  /**
   * How far the tree has come, and whether it has every event of Quipu up to a head of the log. The
   * head itself may be another program's event, which has no leaf.
   */
  async extentUpTo(eventStore: Pick<EventStore, 'readAll'>, head: Position): Promise<WholeExtent> {
    const extent = await this.extent();
    if (extent.position >= head) return { ...extent, isWhole: true };
    for await (const [next] of eventStore.readAll({ after: extent.position, maxCount: 1 })) {
      return { ...extent, isWhole: next === undefined || next.position > head };
    }
    return { ...extent, isWhole: true };
  }

  /** @throws MissingTileError where the tree has fewer leaves */
  root(size: number): Promise<Buffer> {
    return this.#hashOf({ begin: 0, end: size });
  }

  /** @throws MissingTileError; RangeError for a leaf outside the tree */
  inclusion(index: number, size: number): Promise<readonly Buffer[]> {
    return this.#hashesOf(inclusionRanges(index, size));
  }

  /** @throws MissingTileError; RangeError for an old tree that is larger */
  consistency(oldSize: number, size: number): Promise<readonly Buffer[]> {
    return this.#hashesOf(consistencyRanges(oldSize, size));
  }

  /** The hashes of the complete subtrees of the first leaves. @throws MissingTileError */
  edge(size: number): Promise<readonly Buffer[]> {
    return Promise.all(nodesOf({ begin: 0, end: size }).map((node) => this.#nodeHash(node)));
  }

  /** The first hashes of a tile. @throws MissingTileError */
  async hashes(name: TileName, width: number): Promise<Buffer> {
    const tile = await this.#tile(name, width);
    return tile.hashes.subarray(0, width * HASH_BYTES);
  }

  /** @throws MissingTileError */
  async leaf(index: number): Promise<Leaf> {
    const at = index % TILE_WIDTH;
    const tile = await this.#tile({ level: 0, index: Math.floor(index / TILE_WIDTH) }, at + 1);
    const position = positionIn(tile, at);
    if (position === undefined) throw new MissingTileError(`leaf ${index} has no position`);
    const hash = tile.hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
    return { index, hash, position };
  }

  /** The leaf of the event at a position, in a tree of `size` leaves. */
  async leafAt(position: Position, size: number): Promise<Leaf | undefined> {
    const count = await this.leavesUpTo(position, size);
    const last = count === 0 ? undefined : await this.leaf(count - 1);
    return last?.position === position ? last : undefined;
  }

  /** How many leaves of a tree of `size` are of events up to a position; a search by halves. */
  async leavesUpTo(position: Position, size: number): Promise<number> {
    let [low, high] = [0, size];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((await this.leaf(middle)).position <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The leaves of the events of a request, in order. */
  async leavesOf(requestId: string): Promise<readonly number[]> {
    const found = await this.readStore.list<RequestDocument>(REQUESTS, {
      prefix: requestPrefix(requestId),
    });
    return [...new Set(found.flatMap(({ document }) => document.leaves))].sort(
      (one, other) => one - other,
    );
  }

  #hashesOf(ranges: readonly LeafRange[]): Promise<readonly Buffer[]> {
    return Promise.all(ranges.map((range) => this.#hashOf(range)));
  }

  async #hashOf(range: LeafRange): Promise<Buffer> {
    return foldNodes(await Promise.all(nodesOf(range).map((node) => this.#nodeHash(node))));
  }

  async #nodeHash(node: TreeNode): Promise<Buffer> {
    const key = `${node.level}/${node.index}`;
    const known = this.#nodes.get(key);
    if (known) return known;
    const { from, to, ...name } = tileOf(node);
    const { hashes } = await this.#tile(name, to);
    const hash = rootOfHashes(hashes.subarray(from * HASH_BYTES, to * HASH_BYTES));
    if (to - from > 1) this.#nodes.set(key, hash);
    return hash;
  }

  async #tile(name: TileName, width: number): Promise<StoredTile> {
    const key = tileKey(name);
    const cached = this.#tiles.get(key);
    if (cached && cached.width >= width) return cached;
    const tile = await readTile(this.readStore, name);
    if (!tile || tile.width < width) {
      throw new MissingTileError(`tile ${name.index} of level ${name.level} is not built so far`);
    }
    this.#tiles.set(key, tile);
    return tile;
  }
}
