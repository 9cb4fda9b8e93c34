import { type JsonRpc } from '../json-rpc.js';
import { EvmBlockWithTransactions, hexOf } from './evm-rpc.js';

/** A transfer of ether to a watched address. */
export interface EtherTransfer {
  readonly txid: string;
  /** Lower case. */
  readonly to: string;
  readonly value: bigint;
}

export interface ScannedBlock {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly atMs: number;
  readonly transfers: readonly EtherTransfer[];
}

const BLOCK_MS = 12_000;

/**
 * Reads the transactions of blocks: a node has no index of who was paid. Each block is read once,
 * unless a reorganisation replaces it or an address is added that it may pay.
 */
export class BlockScan {
  readonly #blocks = new Map<number, ScannedBlock>();
  readonly #addresses = new Set<string>();

  constructor(private readonly rpc: JsonRpc) {}

  /**
   * The blocks of the chain that ends with the tip, newest first.
   * @param addresses in lower case, with the time from which they may be paid
   */
  async blocks(
    from: number,
    tip: { readonly number: number; readonly hash: string },
    addresses: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<readonly ScannedBlock[]> {
    this.#watch(addresses);
    const scanned: ScannedBlock[] = [];
    let expected = tip.hash;
    for (let height = tip.number; height >= from; height -= 1) {
      const known = this.#blocks.get(height);
      const block = known?.hash === expected ? known : await this.#read(height, expected, signal);
      scanned.push(block);
      expected = block.parentHash;
    }
    for (const height of this.#blocks.keys()) {
      if (height < from || height > tip.number) this.#blocks.delete(height);
    }
    return scanned;
  }

  #watch(addresses: ReadonlyMap<string, number>): void {
    for (const [address, sinceMs] of addresses) {
      if (this.#addresses.has(address)) continue;
      this.#addresses.add(address);
      for (const { height, atMs } of this.#blocks.values()) {
        if (atMs >= sinceMs - BLOCK_MS) this.#blocks.delete(height);
      }
    }
    for (const address of this.#addresses) {
      if (!addresses.has(address)) this.#addresses.delete(address);
    }
  }

  async #read(height: number, hash: string, signal: AbortSignal): Promise<ScannedBlock> {
    const call = [hexOf(height), true] as const;
    const found = await this.rpc.call(
      'eth_getBlockByNumber',
      call,
      EvmBlockWithTransactions,
      signal,
    );
    if (found.hash !== hash) throw new Error('the chain was reorganised while it was read');
    const transfers = found.transactions.flatMap(({ hash: txid, to, value }) => {
      const address = to?.toLowerCase() ?? '';
      return value > 0n && this.#addresses.has(address) ? [{ txid, to: address, value }] : [];
    });
    const { parentHash } = found;
    const block = { height, hash, parentHash, atMs: found.timestamp * 1_000, transfers };
    this.#blocks.set(height, block);
    return block;
  }
}
