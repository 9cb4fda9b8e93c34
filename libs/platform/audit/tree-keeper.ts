import { EventHasher, leafOf } from '#platform/event-store/event.chain.js';
import {
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type DocumentWrite, type ReadStore } from '#platform/read-store/read-store.port.js';
import {
  checkpointAt,
  type SubscriptionHandler,
} from '#platform/runtime/subscriptions/subscription-handler.js';
import { turnsOf } from '#platform/runtime/subscriptions/turns.js';
import { HASH_BYTES } from './merkle.js';
import { type BuiltTile, TileBuilder } from './tile-builder.js';
import {
  POSITION_BYTES,
  readExtent,
  readTile,
  requestKey,
  REQUESTS,
  type RequestDocument,
  type TileDocument,
  tileKey,
  TILES,
  TREE,
} from './tile-documents.js';
import { hashesAt, TILE_WIDTH } from './tiles.js';

/** Every type starts with it. */
const ALL_TYPES = '';

/** The tiles in the read store differ from the tree that the checkpoint states. */
export class DamagedTreeError extends Error {
  override readonly name = 'DamagedTreeError';
}

/**
 * Builds the Merkle tree of the log in the read store: a leaf for every event, in the order of the
 * log. Tiles, the leaves of each request and the checkpoint are saved together.
 */
export class TreeKeeper implements SubscriptionHandler {
  readonly name = TREE;
  readonly types = [ALL_TYPES];
  readonly #hasher = new EventHasher();
  #builder = new TileBuilder();
  /** Of the leaves in the last tile, as they are stored. */
  readonly #positions = Buffer.alloc(TILE_WIDTH * POSITION_BYTES);
  /** Of the last leaf. */
  #position: Position = 0n;

  constructor(private readonly readStore: ReadStore) {}

  async checkpoint(): Promise<Position | undefined> {
    const checkpoint = await this.readStore.checkpoint(TREE);
    const { size, position } = await readExtent(this.readStore, checkpoint ?? 0n);
    const edge: Buffer[] = [];
    for (let level = 0; hashesAt(level, size) > 0; level += 1) {
      edge.push(await this.#edgeAt(level, size));
    }
    this.#builder = new TileBuilder(size, edge);
    this.#position = position;
    const last = await readTile(this.readStore, {
      level: 0,
      index: Math.floor(size / TILE_WIDTH),
    });
    last?.positions.copy(this.#positions);
    return checkpoint;
  }

  async handle({ events }: SubscriptionBatch): Promise<void> {
    const writes: DocumentWrite[] = [];
    const requests = new Map<string, number[]>();
    let last: RecordedEvent | undefined;
    for await (const turn of turnsOf(events)) {
      for (const event of turn) {
        if (event.position <= this.#position) continue;
        const leaf = this.#builder.size;
        for (const tile of this.#append(event)) writes.push(this.#write(tile));
        const leaves = requests.get(event.metadata.requestId);
        if (leaves) leaves.push(leaf);
        else requests.set(event.metadata.requestId, [leaf]);
        last = event;
      }
    }
    if (!last) return;
    const { position } = last;
    for (const tile of this.#builder.takePartial()) writes.push(this.#write(tile));
    for (const [requestId, leaves] of requests) {
      writes.push(requestWrite(requestId, leaves, position));
    }
    await this.readStore.commit({ writes, checkpoint: checkpointAt(TREE, position, last) });
  }

  /** @returns the tiles that the event has filled */
  #append(event: RecordedEvent): readonly BuiltTile[] {
    this.#position = event.position;
    const at = this.#builder.size % TILE_WIDTH;
    this.#positions.writeBigInt64BE(event.position, at * POSITION_BYTES);
    return this.#builder.append(leafOf(event, this.#hasher));
  }

  #write(tile: BuiltTile): DocumentWrite {
    const hashes = tile.hashes.toString('base64');
    const positionsEnd = (tile.hashes.length / HASH_BYTES) * POSITION_BYTES;
    const document: TileDocument =
      tile.level === 0
        ? { hashes, positions: this.#positions.toString('base64', 0, positionsEnd) }
        : { hashes };
    return { collection: TILES, key: tileKey(tile), document, position: this.#position };
  }

  /** The hashes in the tile on the right edge; none where that is full. */
  async #edgeAt(level: number, size: number): Promise<Buffer> {
    const hashes = hashesAt(level, size);
    const width = hashes % TILE_WIDTH;
    if (width === 0) return Buffer.alloc(0);
    const tile = await readTile(this.readStore, { level, index: Math.floor(hashes / TILE_WIDTH) });
    if (!tile || tile.width < width) {
      throw new DamagedTreeError(
        `the tree lacks hash ${hashes - 1} of level ${level}: delete the read models, and the ` +
          'tree is built again',
      );
    }
    return tile.hashes.subarray(0, width * HASH_BYTES);
  }
}

const requestWrite = (
  requestId: string,
  leaves: readonly number[],
  position: Position,
): DocumentWrite => {
  const document: RequestDocument = { leaves };
  const key = requestKey(requestId, leaves[0] ?? 0);
  return { collection: REQUESTS, key, document, position };
};
