import { HASH_BYTES, rootOfHashes } from './merkle.js';
import { TILE_WIDTH, type TileName } from './tiles.js';

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/** A tile as far as it is filled. */
export interface BuiltTile extends TileName {
  /** Concatenated. */
  readonly hashes: Buffer;
}

interface OpenTile {
  index: number;
  width: number;
  readonly bytes: Buffer;
  /** Since it was taken. */
  isChanged: boolean;
}

const NONE: readonly BuiltTile[] = [];

/**
 * Appends leaves to the tiles of a tree. It holds the tile on the right edge of each level, so the
 * cost of a leaf does not depend on the size of the tree: one hash for each hash of a leaf.
 */
export class TileBuilder {
  readonly #open: OpenTile[];
  #size: number;

  /**
   * @param size how many leaves the tree has
   * @param edge the hashes in the last tile of each level from 0 on, except full tiles
   */
  constructor(size = 0, edge: readonly Buffer[] = []) {
    this.#size = size;
    this.#open = edge.map((hashes, level) => {
      const bytes = Buffer.alloc(TILE_BYTES);
      bytes.set(hashes);
      const index = Math.floor(size / TILE_WIDTH ** (level + 1));
      return { index, width: hashes.length / HASH_BYTES, bytes, isChanged: false };
    });
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the tiles that this leaf has filled */
  append(leafHash: Uint8Array): readonly BuiltTile[] {
    this.#size += 1;
    let filled = NONE;
    let hash = leafHash;
    for (let level = 0; ; level += 1) {
      const tile = this.#tile(level);
      tile.bytes.set(hash, tile.width * HASH_BYTES);
      tile.width += 1;
      tile.isChanged = true;
      if (tile.width < TILE_WIDTH) return filled;
      const hashes = Buffer.from(tile.bytes);
      filled = [...filled, { level, index: tile.index, hashes }];
      hash = rootOfHashes(hashes);
      tile.index += 1;
      tile.width = 0;
    }
  }

  /** The tiles on the right edge that are neither empty nor full and have changed since. */
  takePartial(): readonly BuiltTile[] {
    const partial: BuiltTile[] = [];
    for (const [level, tile] of this.#open.entries()) {
      const { index, width, bytes, isChanged } = tile;
      tile.isChanged = false;
      if (width === 0 || !isChanged) continue;
      partial.push({ level, index, hashes: Buffer.from(bytes.subarray(0, width * HASH_BYTES)) });
    }
    return partial;
  }

  #tile(level: number): OpenTile {
    const open = this.#open[level];
    if (open) return open;
    const tile = { index: 0, width: 0, bytes: Buffer.alloc(TILE_BYTES), isChanged: false };
    this.#open[level] = tile;
    return tile;
  }
}
