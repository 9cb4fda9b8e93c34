import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { READER_GROUPS, SHARE_REQUESTS } from './reader-groups.js';

/** A request is a number with the groups that its process holds: 0 to all. */
const HOLDINGS = BigInt(READER_GROUPS.length + 1);

/**
 * How a process asks the others for a group: it writes the next number to one checkpoint. A request
 * that is overwritten before it was seen is made again.
 */
export class ShareRequests {
  /** The last request that this process knows. */
  #seen: bigint | undefined;

  constructor(private readonly readStore: Pick<ReadStore, 'checkpoint' | 'commit'>) {}

  /** @param held the groups that this process holds */
  async ask(held: number): Promise<void> {
    const number = (await this.#last()) / HOLDINGS + 1n;
    const position = number * HOLDINGS + BigInt(held);
    await this.readStore.commit({ writes: [], checkpoint: { name: SHARE_REQUESTS, position } });
    this.#seen = position;
  }

  /** The groups that a process held which has asked since the last call; null where none has. */
  async next(): Promise<number | null> {
    const [before, last] = [this.#seen, await this.#last()];
    this.#seen = last;
    return before === undefined || last <= before ? null : Number(last % HOLDINGS);
  }

  async #last(): Promise<bigint> {
    return (await this.readStore.checkpoint(SHARE_REQUESTS)) ?? 0n;
  }
}
