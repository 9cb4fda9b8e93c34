import { z } from 'zod';
import { toUnits } from '../../assets/currency.js';
import { bareAddress } from '../bitcoin-address.js';
import {
  type ChainWatcher,
  type SeenBlock,
  type SeenPayment,
  type SeenPayments,
  type WatchTarget,
} from '../chain-watcher.port.js';
import { inBatches } from '../in-batches.js';
import { JsonRpc } from '../json-rpc.js';

/** All coins of this family have 8 decimals. */
const COIN = { decimals: 8 };

const WalletInfo = z.object({ descriptors: z.boolean().optional() });
const DescriptorInfo = z.object({ descriptor: z.string() });
const Imported = z.array(z.object({ success: z.boolean() }));
const Received = z.array(z.object({ address: z.string(), txids: z.array(z.string()) }));
const Header = z.object({ height: z.int() });

const WalletTransaction = z.object({
  /** Below zero: it conflicts with a transaction in a block. */
  confirmations: z.int(),
  blockhash: z.string().optional(),
  blockheight: z.int().optional(),
  blocktime: z.int().optional(),
  details: z.array(
    z.object({
      address: z.string().optional(),
      category: z.string(),
      amount: z.union([z.string(), z.number()]),
      vout: z.int(),
    }),
  ),
});
type WalletTransaction = z.infer<typeof WalletTransaction>;

/**
 * Bitcoin Core and its relatives. A wallet of the node without private keys watches each address
 * from the time when its invoice was created. The URL names the wallet: `…/wallet/<name>`.
 */
export class BitcoindWatcher implements ChainWatcher {
  readonly #rpc: JsonRpc;
  readonly #imported = new Set<string>();
  #hasDescriptors: boolean | undefined;

  constructor(url: string) {
    this.#rpc = new JsonRpc(url);
  }

  async payments(targets: readonly WatchTarget[], signal: AbortSignal): Promise<SeenPayments> {
    for (const target of targets) await this.#import(target, signal);
    const received = await this.#rpc.call(
      'listreceivedbyaddress',
      [0, false, true],
      Received,
      signal,
    );
    const txidsOf = new Map(received.map(({ address, txids }) => [bareAddress(address), txids]));
    const seen = await inBatches(targets, async ({ invoiceId, address }) => {
      const txids = txidsOf.get(bareAddress(address)) ?? [];
      const payments = await inBatches(txids, (txid) => this.#paymentsIn(txid, address, signal));
      return [invoiceId, payments.flat()] as const;
    });
    return new Map(seen);
  }

  /** Importing an address again changes nothing. */
  async #import({ address, invoiceId, sinceMs }: WatchTarget, signal: AbortSignal): Promise<void> {
    if (this.#imported.has(address)) return;
    const info = ['getwalletinfo', [], WalletInfo, signal] as const;
    this.#hasDescriptors ??= (await this.#rpc.call(...info)).descriptors === true;
    if (this.#hasDescriptors) {
      const plain = [`addr(${address})`];
      const described = await this.#rpc.call('getdescriptorinfo', plain, DescriptorInfo, signal);
      const { descriptor: desc } = described;
      const request = { desc, timestamp: Math.floor(sinceMs / 1_000), label: invoiceId };
      const results = await this.#rpc.call('importdescriptors', [[request]], Imported, signal);
      if (!results.every(({ success }) => success)) {
        throw new Error(`the wallet of the node does not import ${address}`);
      }
    } else {
      await this.#rpc.call('importaddress', [address, invoiceId, false], z.unknown(), signal);
    }
    this.#imported.add(address);
  }

  async #paymentsIn(
    txid: string,
    address: string,
    signal: AbortSignal,
  ): Promise<readonly SeenPayment[]> {
    const found = await this.#rpc.call('gettransaction', [txid, true], WalletTransaction, signal);
    const { confirmations, details } = found;
    if (confirmations < 0) return [];
    const block = await this.#blockOf(found, signal);
    return details
      .filter(({ category, address: to }) => category === 'receive' && isSame(to, address))
      .map(({ vout: output, amount }) => {
        const units = toUnits(COIN, String(amount));
        return { txid, output, units, confirmations: block ? confirmations : 0, block };
      });
  }

  /** Older nodes do not say the height. */
  async #blockOf(
    { blockhash: hash, blockheight, blocktime, confirmations }: WalletTransaction,
    signal: AbortSignal,
  ): Promise<SeenBlock | null> {
    if (hash === undefined || blocktime === undefined || confirmations === 0) return null;
    const at = new Date(blocktime * 1_000).toISOString();
    if (blockheight !== undefined) return { hash, height: blockheight, at };
    const { height } = await this.#rpc.call('getblockheader', [hash], Header, signal);
    return { hash, height, at };
  }
}

const isSame = (to: string | undefined, address: string): boolean =>
  to !== undefined && bareAddress(to) === bareAddress(address);
