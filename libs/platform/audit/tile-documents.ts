import { type Position } from '#platform/event-store/event-store.port.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { HASH_BYTES } from './merkle.js';
import { TILE_WIDTH, type TileName } from './tiles.js';

/** The name of the keeper's checkpoint. */
export const TREE = 'audit.tree';
export const TILES = 'audit.tiles';
export const REQUESTS = 'audit.requests';

const LEVEL_DIGITS = 2;
const INDEX_DIGITS = 12;
/** A 64-bit integer, big-endian. */
export const POSITION_BYTES = 8;

/** One tile: hashes, and at level 0 the positions of the leaves in the log, in base64. */
export interface TileDocument {
  readonly hashes: string;
  /** 64-bit integers, big-endian. Positions of some logs have gaps; indexes of leaves have none. */
  readonly positions?: string;
}

/** Leaves of one request that the keeper saved together. */
export interface RequestDocument {
  readonly leaves: readonly number[];
}

/** In the order of levels, then of indexes. */
export const tileKey = ({ level, index }: TileName): string =>
  `${levelPrefix(level)}${String(index).padStart(INDEX_DIGITS, '0')}`;

const levelPrefix = (level: number): string => `${String(level).padStart(LEVEL_DIGITS, '0')}.`;

const indexOf = (key: string): number => Number(key.slice(LEVEL_DIGITS + 1));

export const requestPrefix = (requestId: string): string => `${requestId}/`;

export const requestKey = (requestId: string, firstLeaf: number): string =>
  `${requestPrefix(requestId)}${String(firstLeaf).padStart(INDEX_DIGITS, '0')}`;

/** A tile in memory. */
export interface StoredTile {
  /** Concatenated. */
  readonly hashes: Buffer;
  readonly width: number;
  /** Of the leaves, as they are encoded; empty above level 0. */
  readonly positions: Buffer;
}

const decode = ({ hashes: text, positions = '' }: TileDocument): StoredTile => {
  const hashes = Buffer.from(text, 'base64');
  const width = hashes.length / HASH_BYTES;
  return { hashes, width, positions: Buffer.from(positions, 'base64') };
};

/** Of the first leaves of a tile. */
const positionsIn = ({ positions }: StoredTile, count: number): Position[] =>
  Array.from({ length: Math.min(count, positions.length / POSITION_BYTES) }, (_, index) =>
    positions.readBigInt64BE(index * POSITION_BYTES),
  );

/** Of one leaf; undefined where the tile has no such leaf. */
export const positionIn = ({ positions }: StoredTile, at: number): Position | undefined =>
  (at + 1) * POSITION_BYTES <= positions.length
    ? positions.readBigInt64BE(at * POSITION_BYTES)
    : undefined;

export const readTile = async (
  readStore: ReadStore,
  name: TileName,
): Promise<StoredTile | undefined> => {
  const found = await readStore.get<TileDocument>(TILES, tileKey(name));
  return found && decode(found.document);
};

/** How many leaves a tree has, and up to which position of the log. */
export interface TreeExtent {
  readonly size: number;
  /** Of the last leaf; 0n without one. */
  readonly position: Position;
}

/**
 * The leaves up to the checkpoint of the keeper. A store without transactions may have saved tiles
 * that lie ahead of it; they are not counted.
 */
export const readExtent = async (
  readStore: ReadStore,
  checkpoint: Position,
): Promise<TreeExtent> => {
  let before: string | undefined;
  for (;;) {
    const [last] = await readStore.list<TileDocument>(TILES, {
      prefix: levelPrefix(0),
      direction: 'backwards',
      limit: 1,
      ...(before !== undefined && { before }),
    });
    if (!last) return { size: 0, position: 0n };
    const positions = positionsIn(decode(last.document), TILE_WIDTH);
    const within = positions.findLastIndex((position) => position <= checkpoint);
    const position = positions[within];
    if (position !== undefined) {
      return { size: indexOf(last.key) * TILE_WIDTH + within + 1, position };
    }
    before = last.key;
  }
};
