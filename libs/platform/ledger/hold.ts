import {
  type CaptureTerms,
  type HoldTerms,
  type PriceLine,
  type ReleaseTerms,
  type RenewalTerms,
} from '#events/hold.vocabulary.js';

/** The orders of areas to the ledger, and its answers; deciders read these types too. */

/** The line that may be cut to the balance, but not below `atLeast` units. */
export interface Shrink {
  readonly step?: string;
  readonly meter: string;
  readonly atLeast: number;
}

export type HoldOrder = Readonly<HoldTerms> & {
  /** Null when no line may be cut. */
  readonly shrink: Shrink | null;
};

export type Renewal = Readonly<RenewalTerms>;

export type Capture = Readonly<CaptureTerms>;

export type Release = Readonly<ReleaseTerms>;

/** A hold that may have been placed, and may have ended: its request has left it. */
export interface LeftHold extends Release {
  /** ISO 8601, by the clock of the process that placed the hold: none of its events is older. */
  readonly notBefore: string;
}

/** The outcome of a hold; `free`: it was not charged, and will not be. */
export type HoldEnd = 'free' | 'charged';

/** A limit per minute, after a request. */
export interface PaceLimit {
  readonly limit: number;
  readonly remaining: number;
  /** When all of it is there again. ISO 8601. */
  readonly resetsAt: string;
}

/** The tightest limits per minute of the budgets that a hold counts against. */
export interface HoldPace {
  readonly requests: PaceLimit | null;
  readonly tokens: PaceLimit | null;
}

/** An open hold as the log has it. */
export interface PlacedHold {
  /** The lines that may be charged: of the order (one may be cut), and of its renewals. */
  readonly lines: readonly PriceLine[];
  readonly amountMicroUsd: bigint;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** The funds that the next hold of the account may use. */
  readonly availableMicroUsd: bigint;
  /** Absent where no budget has a limit per minute. */
  readonly pace?: HoldPace;
}

/** A hold that an order would place. */
export type PreviewedHold = Pick<PlacedHold, 'lines' | 'amountMicroUsd' | 'availableMicroUsd'>;

/** A charge in the log. */
export interface LedgerEntry {
  readonly eventId: string;
  readonly chargedMicroUsd: bigint;
  readonly availableMicroUsd: bigint;
}
