import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CryptoCurrency } from '#events/payments/crypto.vocabulary.js';

/** The payment of one output of a transaction. */
const SimulatedOutput = z.strictObject({
  currency: CryptoCurrency,
  address: z.string(),
  reference: z.string().nullable(),
  /** In the smallest unit. */
  units: z.string().regex(/^\d+$/),
});
export type SimulatedOutput = z.infer<typeof SimulatedOutput>;

const SimulatedTransaction = z.strictObject({
  txid: z.string(),
  outputs: z.array(SimulatedOutput),
});
export type SimulatedTransaction = z.infer<typeof SimulatedTransaction>;

const SimulatedBlock = z.strictObject({
  hash: z.string(),
  height: z.int(),
  atMs: z.int(),
  transactions: z.array(SimulatedTransaction),
});
export type SimulatedBlock = z.infer<typeof SimulatedBlock>;

export const SimulatedLedger = z.strictObject({
  /** Makes the next hash different from all before. */
  drawn: z.int(),
  blocks: z.array(SimulatedBlock),
  waiting: z.array(SimulatedTransaction),
});
export type SimulatedLedger = z.infer<typeof SimulatedLedger>;

const FIRST_HEIGHT = 0;

/**
 * A chain that does what it is asked to: transactions wait, blocks include them, and a
 * reorganisation replaces the last blocks. It shows what the real ones show.
 */
export class SimulatedChain {
  #drawn: number;
  #blocks: SimulatedBlock[];
  #waiting: SimulatedTransaction[];

  /** @param now epoch milliseconds, for the time of blocks */
  constructor(
    private readonly now: () => number,
    ledger: SimulatedLedger = { drawn: 0, blocks: [], waiting: [] },
  ) {
    this.#drawn = ledger.drawn;
    this.#blocks = [...ledger.blocks];
    this.#waiting = [...ledger.waiting];
    if (this.#blocks.length === 0) this.mine();
  }

  /** A transaction that waits for a block. @returns its id */
  pay(...outputs: readonly SimulatedOutput[]): string {
    const txid = this.#draw('transaction');
    this.#waiting.push({ txid, outputs: [...outputs] });
    return txid;
  }

  /** Each block includes everything that waits, except what is left out. */
  mine(blocks = 1, leftOut: readonly string[] = []): void {
    for (let made = 0; made < blocks; made += 1) {
      const transactions = this.#waiting.filter(({ txid }) => !leftOut.includes(txid));
      this.#waiting = this.#waiting.filter(({ txid }) => leftOut.includes(txid));
      const height = (this.#blocks.at(-1)?.height ?? FIRST_HEIGHT - 1) + 1;
      this.#blocks.push({ hash: this.#draw('block'), height, atMs: this.now(), transactions });
    }
  }

  /** Removes the last blocks. Their transactions wait again. The first block stays. */
  rewind(blocks: number): void {
    const kept = Math.max(this.#blocks.length - blocks, 1);
    const removed = this.#blocks.splice(kept);
    this.#waiting.unshift(...removed.flatMap(({ transactions }) => transactions));
  }

  /** A waiting transaction is replaced by another one, which pays elsewhere. */
  drop(txid: string): void {
    this.#waiting = this.#waiting.filter((one) => one.txid !== txid);
  }

  get blocks(): readonly SimulatedBlock[] {
    return this.#blocks;
  }

  get waiting(): readonly SimulatedTransaction[] {
    return this.#waiting;
  }

  get height(): number {
    return this.#blocks.at(-1)?.height ?? 0;
  }

  ledger(): SimulatedLedger {
    return { drawn: this.#drawn, blocks: this.#blocks, waiting: this.#waiting };
  }

  #draw(what: string): string {
    this.#drawn += 1;
    return createHash('sha256').update(`${what} ${this.#drawn}`).digest('hex');
  }
}
