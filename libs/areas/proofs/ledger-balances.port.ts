/** The newest published checkpoint of the log. */
export interface LedgerCheckpoint {
  /** Of its last event. */
  readonly position: bigint;
  /** Leaves of the tree. */
  readonly size: number;
  readonly rootSha256: string;
  /** The signed note. */
  readonly note: string;
}

export interface AccountBalance {
  readonly accountId: string;
  /** Deposits less charges plus adjustments: what is available and what is held. */
  readonly microUsd: bigint;
}

export interface BalancesAt {
  /** The instant of the last event, in milliseconds since the epoch. */
  readonly atMs: number;
  /** In the order of their ids. */
  readonly accounts: readonly AccountBalance[];
}

/** The balances of the ledger. The composition binds it to billing and audit. */
export abstract class LedgerBalances {
  /** @throws DomainError `audit_not_ready` before the first one */
  abstract checkpoint(): Promise<LedgerCheckpoint>;

  /** At most one account more than `accountsMax`. */
  abstract at(position: bigint, accountsMax: number): Promise<BalancesAt>;
}
