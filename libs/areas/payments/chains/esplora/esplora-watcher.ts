import { z } from 'zod';
import { fetchJson } from '../../fetch-json.js';
import { bareAddress } from '../bitcoin-address.js';
import {
  type ChainWatcher,
  type SeenBlock,
  type SeenPayment,
  type SeenPayments,
  type WatchTarget,
} from '../chain-watcher.port.js';
import { inBatches } from '../in-batches.js';

const EsploraTransaction = z.object({
  txid: z.string(),
  vout: z.array(z.object({ scriptpubkey_address: z.string().optional(), value: z.int() })),
  status: z.discriminatedUnion('confirmed', [
    z.object({ confirmed: z.literal(false) }),
    z.object({
      confirmed: z.literal(true),
      block_height: z.int(),
      block_hash: z.string(),
      block_time: z.int(),
    }),
  ]),
});
type EsploraTransaction = z.infer<typeof EsploraTransaction>;

/** Confirmed transactions on a page, as Esplora has it. */
const PAGE = 25;
/** Pages of one address. Beyond that something is wrong with it. */
const PAGES_MAX = 40;

const blockOf = ({ status }: EsploraTransaction): SeenBlock | null =>
  status.confirmed
    ? {
        hash: status.block_hash,
        height: status.block_height,
        at: new Date(status.block_time * 1_000).toISOString(),
      }
    : null;

const paymentsIn = (
  transaction: EsploraTransaction,
  address: string,
  tip: number,
): readonly SeenPayment[] => {
  const block = blockOf(transaction);
  // A block that was made after the tip was asked for has at least one confirmation.
  const confirmations = block ? Math.max(1, tip - block.height + 1) : 0;
  return transaction.vout.flatMap(({ scriptpubkey_address: to, value }, output) =>
    to !== undefined && bareAddress(to) === bareAddress(address)
      ? [{ txid: transaction.txid, output, units: BigInt(value), confirmations, block }]
      : [],
  );
};

/** Bitcoin and its relatives by the REST interface of Esplora. */
export class EsploraWatcher implements ChainWatcher {
  readonly #fetch = fetchJson();

  /** @param url without a slash at the end */
  constructor(private readonly url: string) {}

  async payments(targets: readonly WatchTarget[], signal: AbortSignal): Promise<SeenPayments> {
    const tip = z.int().parse(await this.#get('/blocks/tip/height', signal));
    const seen = await inBatches(targets, async ({ invoiceId, address }) => {
      const transactions = await this.#transactions(address, signal);
      const payments = transactions.flatMap((one) => paymentsIn(one, address, tip));
      return [invoiceId, payments] as const;
    });
    return new Map(seen);
  }

  async #transactions(
    address: string,
    signal: AbortSignal,
  ): Promise<readonly EsploraTransaction[]> {
    const of = `/address/${encodeURIComponent(bareAddress(address))}/txs`;
    const transactions = await this.#page(of, signal);
    for (let pages = 1; pages < PAGES_MAX; pages += 1) {
      const confirmed = transactions.filter(({ status }) => status.confirmed);
      const last = confirmed.at(-1);
      if (!last || confirmed.length < PAGE * pages) break;
      transactions.push(...(await this.#page(`${of}/chain/${last.txid}`, signal)));
    }
    return transactions;
  }

  async #page(path: string, signal: AbortSignal): Promise<EsploraTransaction[]> {
    return z.array(EsploraTransaction).parse(await this.#get(path, signal));
  }

  #get(path: string, signal: AbortSignal): Promise<unknown> {
    return this.#fetch({ url: `${this.url}${path}`, signal });
  }
}
