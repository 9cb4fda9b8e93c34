import { type Position } from '#platform/event-store/event-store.port.js';

/**
 * A past state of the log: its first events by their number, up to a position of the store, or up
 * to an instant (ISO 8601 UTC).
 */
export type AsOf =
  { readonly size: bigint } | { readonly position: Position } | { readonly instant: string };

/** The log has no such state: it lies beyond its head, or in the future. */
export class AsOfError extends Error {
  override readonly name = 'AsOfError';
}

/** One state of the log. */
export interface LogMoment {
  /** Every event up to here belongs to it, and no other one. */
  readonly position: Position;
  /** Epoch milliseconds that are "now" in this state. */
  readonly at: number;
}
