import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type LogPlaces, PlaceUnknownError } from '#platform/runtime/history/log-places.js';
import { type TreeReader, type WholeExtent } from './tree-reader.js';

/** How long a caller waits until the tree has the events that it asks for. */
const WAIT_MS = 5_000;
const POLL_MS = 10;

/** Finds places in the tiles of the tree, where positions do not count events. */
export class TreePlaces implements LogPlaces {
  constructor(
    private readonly tree: TreeReader,
    private readonly eventStore: Pick<EventStore, 'head' | 'readAll'>,
    private readonly waitMs = WAIT_MS,
  ) {}

  async sizeAt(position: Position): Promise<bigint> {
    if (position === 0n) return 0n;
    const extent = await this.#extentUpTo(position, ({ isWhole }) => isWhole);
    if (position >= extent.position) return BigInt(extent.size);
    return BigInt(await this.tree.leavesUpTo(position, extent.size));
  }

  async positionAt(size: bigint): Promise<Position | undefined> {
    if (size === 0n) return 0n;
    const head = await this.eventStore.head();
    const extent = await this.#extentUpTo(
      head,
      (found) => found.isWhole || size <= BigInt(found.size),
    );
    if (size > BigInt(extent.size)) return undefined;
    return (await this.tree.leaf(Number(size) - 1)).position;
  }

  async #extentUpTo(
    position: Position,
    isEnough: (extent: WholeExtent) => boolean,
  ): Promise<WholeExtent> {
    const endsAt = performance.now() + this.waitMs;
    for (;;) {
      const extent = await this.tree.extentUpTo(this.eventStore, position);
      if (isEnough(extent)) return extent;
      if (performance.now() >= endsAt) {
        throw new PlaceUnknownError(
          `the tree of the log ends at position ${extent.position}, before ${position}`,
        );
      }
      await sleep(POLL_MS);
    }
  }
}
