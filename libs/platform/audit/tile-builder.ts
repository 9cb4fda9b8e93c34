import { HASH_BYTES } from './merkle.js';
import { rootOfHashes, TILE_WIDTH, type TileName } from './tiles.js';

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
}

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
      return { index, width: hashes.length / HASH_BYTES, bytes };
    });
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the tiles that this leaf has filled */
  append(leafHash: Uint8Array): readonly BuiltTile[] {
    this.#size += 1;
    const filled: BuiltTile[] = [];
    let hash = leafHash;
    for (let level = 0; ; level += 1) {
      const tile = this.#tile(level);
      tile.bytes.set(hash, tile.width * HASH_BYTES);
      tile.width += 1;
      if (tile.width < TILE_WIDTH) return filled;
      const hashes = Buffer.from(tile.bytes);
      filled.push({ level, index: tile.index, hashes });
      hash = rootOfHashes(hashes);
      tile.index += 1;
      tile.width = 0;
    }
  }

  /** The tiles on the right edge that are neither empty nor full. */
  partial(): readonly BuiltTile[] {
    return this.#open.flatMap(({ index, width, bytes }, level) =>
      width === 0
        ? []
        : [{ level, index, hashes: Buffer.from(bytes.subarray(0, width * HASH_BYTES)) }],
    );
  }

  #tile(level: number): OpenTile {
    const open = this.#open[level];
    if (open) return open;
    const tile = { index: 0, width: 0, bytes: Buffer.alloc(TILE_BYTES) };
    this.#open[level] = tile;
    return tile;
  }
}
