import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import {
  type Capture,
  type HoldEnd,
  type HoldOrder,
  type LedgerEntry,
  type LeftHold,
  type PlacedHold,
  type PreviewedHold,
  type Release,
  type Renewal,
} from './hold.js';

/**
 * Reserves before work, charges or frees after it, for every area that charges. The class is the
 * injection token; billing provides it. Every promise resolves once the event is durable.
 *
 * Purpose, meters and evidence belong to a registered product: anything else is a defect of the
 * caller and throws `ProductMismatchError` before anything is decided.
 */
export abstract class Ledger {
  /**
   * A cheap check before the work of pricing an order: whether the account has any money left, or
   * may have once the holds of others end. It reserves nothing, and an account that does not exist
   * passes it. Most accounts pass without a promise.
   * @param requestId of the request, for the explanation of a rejection
   * @throws DomainError `insufficient_balance`
   */
  abstract demandFunds(accountId: string, requestId?: string): void | Promise<void>;

  /**
   * Holds the worst case. Repeating the same order returns the hold that is open.
   * @param signal aborts when the caller leaves; with it, an order that the balance covers but for
   *   the holds of others waits for them a stated time before it is rejected
   * @throws DomainError `insufficient_balance`, `budget_exceeded`, `rate_limit_exceeded`,
   *   `account_not_found`, or `hold_conflict` when another order has the id; the reason of the
   *   signal when it ends the wait
   */
  abstract place(
    order: HoldOrder,
    context: CommandContext,
    signal?: AbortSignal,
  ): Promise<PlacedHold>;

  /**
   * The hold that `place` would open now. Writes nothing, and does not wait for other holds.
   * @throws DomainError as `place`
   */
  abstract preview(order: HoldOrder): Promise<PreviewedHold>;

  /**
   * Gives an open hold a later deadline and, with further lines, a higher amount. Repeating the
   * last renewal returns the hold as it is.
   * @throws DomainError `insufficient_balance`, `budget_exceeded`, `hold_not_open`, or
   *   `hold_conflict` when it does not end later
   */
  abstract renew(renewal: Renewal, context: CommandContext): Promise<PlacedHold>;

  /**
   * Charges lines of the hold and frees the rest.
   * @throws DomainError `hold_not_open`, `capture_above_hold`
   */
  abstract capture(capture: Capture, context: CommandContext): Promise<LedgerEntry>;

  /** @throws DomainError `hold_not_open` */
  abstract release(release: Release, context: CommandContext): Promise<void>;

  /** Frees a hold unless it was charged, and finds out which. */
  abstract settle(left: LeftHold, context: CommandContext): Promise<HoldEnd>;
}
