import { z } from 'zod';
import { currencies } from '../../assets/currency.js';
import {
  type ChainWatcher,
  type SeenPayment,
  type SeenPayments,
  type WatchTarget,
} from '../chain-watcher.port.js';
import { inBatches } from '../in-batches.js';
import { JsonRpc } from '../json-rpc.js';
import { BlockScan, type ScannedBlock } from './block-scan.js';
import { EvmBlock, EvmLog, EvmReceipt, hexOf, topicOf, TRANSFER } from './evm-rpc.js';

/** Ethereum makes a block every 12 seconds at most, so that no earlier block can be relevant. */
const BLOCK_MS = 12_000;
/** Addresses in one filter of logs. */
const TOPICS_MAX = 100;

type Tip = z.output<typeof EvmBlock>;
type Found = readonly [invoiceId: string, payment: SeenPayment];

/**
 * Ethereum by JSON-RPC: the transfer logs of tokens, and the transactions of blocks for ether.
 * Transactions that wait are not shown, and neither is ether that a contract sends.
 */
export class EvmWatcher implements ChainWatcher {
  readonly #rpc: JsonRpc;
  readonly #scan: BlockScan;

  constructor(url: string) {
    this.#rpc = new JsonRpc(url);
    this.#scan = new BlockScan(this.#rpc);
  }

  async payments(targets: readonly WatchTarget[], signal: AbortSignal): Promise<SeenPayments> {
    const seen = new Map<string, SeenPayment[]>(targets.map(({ invoiceId }) => [invoiceId, []]));
    const tip = await this.#rpc.call('eth_getBlockByNumber', ['latest', false], EvmBlock, signal);
    const contracts = Map.groupBy(targets, ({ currency }) => currencies[currency].contract);
    for (const [contract, group] of contracts) {
      const from = firstBlock(tip, group);
      const found =
        contract === null
          ? await this.#ether(group, from, tip, signal)
          : await this.#tokens(contract, group, from, tip, signal);
      for (const [invoiceId, payment] of found) seen.get(invoiceId)?.push(payment);
    }
    return seen;
  }

  async #ether(
    targets: readonly WatchTarget[],
    from: number,
    tip: Tip,
    signal: AbortSignal,
  ): Promise<readonly Found[]> {
    const since = targets.map(({ address, sinceMs }) => [address.toLowerCase(), sinceMs] as const);
    const invoiceOf = byAddress(targets);
    const blocks = await this.#scan.blocks(from, tip, new Map(since), signal);
    const transfers = blocks.flatMap((block) => block.transfers.map((one) => ({ block, one })));
    const found = await inBatches(transfers, async ({ block, one }) => {
      const invoiceId = invoiceOf.get(one.to);
      const args = ['eth_getTransactionReceipt', [one.txid], EvmReceipt, signal] as const;
      const receipt = await this.#rpc.call(...args);
      if (invoiceId === undefined || receipt?.status !== 1) return [];
      const { txid, value: units } = one;
      return [[invoiceId, { txid, output: 0, units, ...placeOf(block, tip) }] as const];
    });
    return found.flat();
  }

  async #tokens(
    contract: string,
    targets: readonly WatchTarget[],
    from: number,
    tip: Tip,
    signal: AbortSignal,
  ): Promise<readonly Found[]> {
    const invoiceOf = byAddress(targets);
    const logs: EvmLog[] = [];
    for (let at = 0; at < targets.length; at += TOPICS_MAX) {
      const topics = targets.slice(at, at + TOPICS_MAX).map(({ address }) => topicOf(address));
      const range = { fromBlock: hexOf(from), toBlock: hexOf(tip.number) };
      const filter = { ...range, address: contract, topics: [TRANSFER, null, topics] };
      logs.push(...(await this.#rpc.call('eth_getLogs', [filter], z.array(EvmLog), signal)));
    }
    const found = await inBatches(logs, async (log): Promise<readonly Found[]> => {
      const to = `0x${(log.topics[2] ?? '').slice(-40).toLowerCase()}`;
      const invoiceId = invoiceOf.get(to);
      if (invoiceId === undefined || log.removed === true || log.data === 0n) return [];
      const payment = await this.#tokenPayment(log, tip, signal);
      return payment ? [[invoiceId, payment]] : [];
    });
    return found.flat();
  }

  /** Null while a reorganisation moves the transaction. */
  async #tokenPayment(log: EvmLog, tip: Tip, signal: AbortSignal): Promise<SeenPayment | null> {
    const { transactionHash: txid, blockHash, data: units } = log;
    const asked = ['eth_getTransactionReceipt', [txid], EvmReceipt, signal] as const;
    const receipt = await this.#rpc.call(...asked);
    const first = receipt?.logs.at(0)?.logIndex;
    if (receipt?.status !== 1 || first === undefined) return null;
    const call = ['eth_getBlockByHash', [blockHash, false], EvmBlock.nullable(), signal] as const;
    const block = await this.#rpc.call(...call);
    if (!block) return null;
    const { number: height, hash, timestamp } = block;
    const place = placeOf({ height, hash, atMs: timestamp * 1_000 }, tip);
    // The place of the log in its transaction, which no reorganisation changes; 0 is for ether.
    return { txid, output: log.logIndex - first + 1, units, ...place };
  }
}

const firstBlock = (tip: Tip, targets: readonly WatchTarget[]): number => {
  const sinceMs = Math.min(...targets.map((target) => target.sinceMs));
  const blocks = Math.ceil(Math.max(0, tip.timestamp * 1_000 - sinceMs) / BLOCK_MS) + 1;
  return Math.max(0, tip.number - blocks);
};

const byAddress = (targets: readonly WatchTarget[]): ReadonlyMap<string, string> =>
  new Map(targets.map(({ address, invoiceId }) => [address.toLowerCase(), invoiceId]));

const placeOf = (
  { height, hash, atMs }: Pick<ScannedBlock, 'height' | 'hash' | 'atMs'>,
  tip: Tip,
): Pick<SeenPayment, 'confirmations' | 'block'> => ({
  confirmations: tip.number - height + 1,
  block: { hash, height, at: new Date(atMs).toISOString() },
});
