import { base58 } from '@scure/base';
import { z } from 'zod';
import {
  type ChainWatcher,
  type SeenPayment,
  type SeenPayments,
  type WatchTarget,
} from '../chain-watcher.port.js';
import { inBatches } from '../in-batches.js';
import { JsonRpc } from '../json-rpc.js';

const Signatures = z.array(
  z.object({
    signature: z.string(),
    slot: z.int(),
    err: z.unknown(),
    blockTime: z.int().nullable(),
    confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']).nullable(),
  }),
);
type Signature = z.infer<typeof Signatures>[number];

const Transaction = z
  .object({
    meta: z
      .object({
        err: z.unknown(),
        loadedAddresses: z
          .object({ writable: z.array(z.string()), readonly: z.array(z.string()) })
          .optional(),
      })
      .nullable(),
    transaction: z.object({
      message: z.object({
        accountKeys: z.array(z.string()),
        instructions: z.array(
          z.object({ programIdIndex: z.int(), accounts: z.array(z.int()), data: z.string() }),
        ),
      }),
    }),
  })
  .nullable();
type Transaction = NonNullable<z.infer<typeof Transaction>>;

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** `Transfer` of the system program: its number, then the lamports, both little-endian. */
const TRANSFER = 2;
const TRANSFER_BYTES = 12;
/** More transactions than that name no reference. */
const SIGNATURES_MAX = 1_000;
/** Confirmations of a transaction that is final; any other one in a block has one. */
const FINAL = 32;

const lamportsOf = (data: string): bigint | null => {
  const bytes = Buffer.from(base58.decode(data));
  const isTransfer = bytes.length === TRANSFER_BYTES && bytes.readUInt32LE(0) === TRANSFER;
  return isTransfer ? bytes.readBigUInt64LE(4) : null;
};

/** The transfers that pay the recipient and name the reference, by their instruction. */
const transfersIn = (
  { transaction, meta }: Transaction,
  { address, reference }: WatchTarget,
): readonly { readonly output: number; readonly units: bigint }[] => {
  const { accountKeys, instructions } = transaction.message;
  const loaded = meta?.loadedAddresses;
  const keys = [...accountKeys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])];
  return instructions.flatMap(({ programIdIndex, accounts, data }, output) => {
    const [, to = -1] = accounts;
    const isOurs = keys[programIdIndex] === SYSTEM_PROGRAM && keys[to] === address;
    if (!isOurs || !accounts.some((index) => keys[index] === reference)) return [];
    const units = lamportsOf(data);
    return units === null ? [] : [{ output, units }];
  });
};

/**
 * Solana by JSON-RPC. A transfer pays an invoice when the instruction names its reference, as
 * Solana Pay has it. Transactions in no block are not shown. The slot is used as the block.
 */
export class SolanaWatcher implements ChainWatcher {
  readonly #rpc: JsonRpc;

  constructor(url: string) {
    this.#rpc = new JsonRpc(url);
  }

  async payments(targets: readonly WatchTarget[], signal: AbortSignal): Promise<SeenPayments> {
    const seen = await inBatches(targets, async (target) => {
      const payments = await this.#paymentsTo(target, signal);
      return [target.invoiceId, payments] as const;
    });
    return new Map(seen);
  }

  async #paymentsTo(target: WatchTarget, signal: AbortSignal): Promise<readonly SeenPayment[]> {
    const options = { limit: SIGNATURES_MAX, commitment: 'confirmed' };
    const parameters = [target.reference, options];
    const call = ['getSignaturesForAddress', parameters, Signatures, signal] as const;
    const signatures = (await this.#rpc.call(...call)).filter(({ err }) => err === null);
    const payments = await inBatches(signatures, (one) => this.#paymentsIn(one, target, signal));
    return payments.flat();
  }

  async #paymentsIn(
    { signature: txid, slot, blockTime, confirmationStatus }: Signature,
    target: WatchTarget,
    signal: AbortSignal,
  ): Promise<readonly SeenPayment[]> {
    const options = {
      encoding: 'json',
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 0,
    };
    const call = ['getTransaction', [txid, options], Transaction, signal] as const;
    const found = await this.#rpc.call(...call);
    if (found?.meta?.err !== null || blockTime === null) return [];
    const at = new Date(blockTime * 1_000).toISOString();
    const block = { hash: String(slot), height: slot, at };
    const confirmations = confirmationStatus === 'finalized' ? FINAL : 1;
    return transfersIn(found, target).map((transfer) => ({
      txid,
      ...transfer,
      confirmations,
      block,
    }));
  }
}
