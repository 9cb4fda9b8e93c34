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
} from '../hold.js';

/** An error of the ledger, as it travels; its class is made again on the other side. */
export type LedgerFailure =
  | {
      readonly kind: 'domain';
      readonly code: string;
      readonly detail: string;
      readonly metadata: Readonly<Record<string, unknown>> | undefined;
    }
  | {
      /** The caller left while its hold waited for the holds of others; nothing was placed. */
      readonly kind: 'left';
    }
  | {
      readonly kind:
        'contention' | 'foreign-log' | 'unknown-outcome' | 'store-unavailable' | 'defect';
      readonly message: string;
    };

export type LedgerAnswer<Result> =
  { readonly result: Result } | { readonly failure: LedgerFailure };

/** The change of an account, and the request that it stems from. */
export interface Asked<Change> {
  readonly change: Change;
  readonly context: CommandContext;
}

/** A hold, and whether its caller waits for the holds of others. */
export interface AskedHold extends Asked<HoldOrder> {
  readonly waits: boolean;
}

/** The calls that the process with the ledger answers to the other processes. */
export type LedgerCalls = {
  readonly demandFunds: (accountId: string) => Promise<LedgerAnswer<void>>;
  readonly preview: (order: HoldOrder) => Promise<LedgerAnswer<PreviewedHold>>;
  readonly place: (asked: AskedHold) => Promise<LedgerAnswer<PlacedHold>>;
  /** The caller of this request has left: its hold waits no longer. */
  readonly leave: (requestId: string) => void;
  readonly renew: (asked: Asked<Renewal>) => Promise<LedgerAnswer<PlacedHold>>;
  readonly capture: (asked: Asked<Capture>) => Promise<LedgerAnswer<LedgerEntry>>;
  readonly release: (asked: Asked<Release>) => Promise<LedgerAnswer<void>>;
  readonly settle: (asked: Asked<LeftHold>) => Promise<LedgerAnswer<HoldEnd>>;
};
