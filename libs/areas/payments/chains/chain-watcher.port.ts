import { type CryptoCurrency } from '#events/payments/crypto.vocabulary.js';

/** The target that an invoice watches on its chain. */
export interface WatchTarget {
  readonly invoiceId: string;
  readonly currency: CryptoCurrency;
  /** The address of the invoice, or the account of the operator if there is a reference. */
  readonly address: string;
  readonly reference: string | null;
  /** Nothing before this instant pays the invoice; epoch milliseconds. */
  readonly sinceMs: number;
}

/** A block as a chain shows it. */
export interface SeenBlock {
  readonly hash: string;
  readonly height: number;
  /** When it was made, as it says: ISO 8601 UTC with milliseconds. */
  readonly at: string;
}

/** A payment as a chain shows it now. */
export interface SeenPayment {
  readonly txid: string;
  /** The same number as long as the transaction is the same, in whichever block it is. */
  readonly output: number;
  readonly units: bigint;
  /** 1 in the newest block; 0 in no block. */
  readonly confirmations: number;
  readonly block: SeenBlock | null;
}

/** The payments of each target that was looked at. A target that is missing was not. */
export type SeenPayments = ReadonlyMap<string, readonly SeenPayment[]>;

/**
 * Looks at one chain. It answers with the present state and not with changes: a payment that a
 * reorganisation removed is missing from the next answer, and the order of blocks and messages does
 * not matter. Every adapter passes `chain-watcher.contract.ts`.
 */
export interface ChainWatcher {
  /**
   * Every payment to each target, unconfirmed ones where the chain shows them.
   * @throws Error when the chain cannot be read; nothing is known then
   */
  payments(targets: readonly WatchTarget[], signal: AbortSignal): Promise<SeenPayments>;
}
