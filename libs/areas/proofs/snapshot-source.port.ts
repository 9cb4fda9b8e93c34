/** `orbital_bundles`: the bundles in custody, with the bytes of each. */
export const STATEMENTS = ['ledger_balances', 'orbital_bundles'] as const;
export type Statement = (typeof STATEMENTS)[number];

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

export interface SourceLeaf {
  /** Of the account or of the bundle. */
  readonly id: string;
  /** The account that may open the leaf. */
  readonly accountId: string;
  /** Micro-dollars or bytes. */
  readonly amount: bigint;
}

export interface LeavesAt {
  /** The instant of the last event, in milliseconds since the epoch. */
  readonly atMs: number;
  /** In the order of their ids. */
  readonly leaves: readonly SourceLeaf[];
}

/** The facts that snapshots prove. The composition binds it to audit and to the read models. */
export abstract class SnapshotSource {
  /** @throws DomainError `audit_not_ready` before the first one */
  abstract checkpoint(): Promise<LedgerCheckpoint>;

  /** At most one leaf more than `leavesMax`. */
  abstract leavesAt(statement: Statement, position: bigint, leavesMax: number): Promise<LeavesAt>;
}
