import { type TreeNode } from './merkle.js';

/**
 * Tiles of C2SP tlog-tiles: the hashes of the tree in pieces of 256. A tile of level 0 has leaf
 * hashes; each hash of a tile above is the root of a full tile below it.
 */

/** Levels of the tree in one tile. */
export const TILE_HEIGHT = 8;
export const TILE_WIDTH = 256;
const LEVEL_MAX = 63;

export interface TileName {
  readonly level: number;
  readonly index: number;
}

export interface TileRequest extends TileName {
  /** 256 for a full tile. */
  readonly width: number;
}

/** How many hashes all tiles of a level have in a tree of this size. */
export const hashesAt = (level: number, size: number): number =>
  Math.floor(size / TILE_WIDTH ** level);

const DIGITS = /^(0|[1-9]\d{0,2})$/;
/** Three digits each, all but the last after an `x`; at most 15 digits, which a number holds. */
const INDEX = /^((?:x\d{3}\/){0,4}\d{3})$/;

/** `x001/x234/067` for 1234067. */
export const encodeTileIndex = (index: number): string => {
  const last = String(index % 1_000).padStart(3, '0');
  const above = Math.floor(index / 1_000);
  return above === 0 ? last : `${prefixed(above)}/${last}`;
};

const prefixed = (index: number): string =>
  encodeTileIndex(index)
    .split('/')
    .map((part) => (part.startsWith('x') ? part : `x${part}`))
    .join('/');

/**
 * The tile that a path names, which is what follows `tile/`: `<L>/<N>[.p/<W>]`. Undefined for any
 * other text: a number has one spelling.
 */
export const parseTilePath = (path: string): TileRequest | undefined => {
  const [, levelText = '', indexText = '', widthText] =
    /^([^/]+)\/(.+?)(?:\.p\/([^/]+))?$/.exec(path) ?? [];
  if (!DIGITS.test(levelText) || Number(levelText) > LEVEL_MAX || !INDEX.test(indexText)) {
    return undefined;
  }
  const index = Number(indexText.replaceAll(/[x/]/g, ''));
  if (encodeTileIndex(index) !== indexText) return undefined;
  const width = widthText === undefined ? TILE_WIDTH : partialWidth(widthText);
  return width === undefined ? undefined : { level: Number(levelText), index, width };
};

const partialWidth = (text: string): number | undefined => {
  const width = DIGITS.test(text) ? Number(text) : 0;
  return width >= 1 && width < TILE_WIDTH ? width : undefined;
};

/** The tile that a complete subtree is in, and the hashes of the tile below it. */
export const tileOf = ({
  level,
  index,
}: TreeNode): TileName & { readonly from: number; readonly to: number } => {
  const tileLevel = Math.floor(level / TILE_HEIGHT);
  const width = 2 ** (level % TILE_HEIGHT);
  const first = index * width;
  const tileIndex = Math.floor(first / TILE_WIDTH);
  const from = first % TILE_WIDTH;
  return { level: tileLevel, index: tileIndex, from, to: from + width };
};
