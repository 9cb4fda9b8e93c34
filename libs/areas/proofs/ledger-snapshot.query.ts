import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { accountNumber } from './ledger-leaves.js';
import { LEAVES } from './ledger-prover.engine.js';
import { type LedgerSnapshot, LedgerSnapshots } from './ledger-snapshots.js';

export interface OwnLeaf {
  /** Of the proof in the chain, and of the leaf in it; from 0. */
  readonly proof: number;
  readonly leaf: number;
  readonly account: string;
  readonly balance: string;
  readonly salt: string;
}

export interface ShownSnapshot {
  readonly snapshot: LedgerSnapshot;
  /** Since the last event of the checkpoint. */
  readonly ageMs: number;
  /** Null for an account that was opened later. */
  readonly own: OwnLeaf | null;
}

/** The newest proof of the ledger, and the leaf of an account in it. */
export class LedgerSnapshotQuery extends Query<ShownSnapshot> {
  constructor(readonly accountId: string) {
    super();
  }
}

@QueryHandler(LedgerSnapshotQuery)
export class LedgerSnapshotHandler implements IQueryHandler<LedgerSnapshotQuery> {
  constructor(
    private readonly snapshots: LedgerSnapshots,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws ProofsFailureError, DomainError `audit_not_ready` */
  async execute({ accountId }: LedgerSnapshotQuery): Promise<ShownSnapshot> {
    const snapshot = await this.snapshots.newest();
    const ageMs = Math.max(0, this.clock.now() - snapshot.atMs);
    return { snapshot, ageMs, own: ownLeafOf(snapshot, accountId) };
  }
}

const ownLeafOf = ({ leaves }: LedgerSnapshot, accountId: string): OwnLeaf | null => {
  const account = accountNumber(accountId);
  const at = leaves.findIndex((one) => one.account === account);
  const found = leaves[at];
  return found ? { proof: Math.floor(at / LEAVES), leaf: at % LEAVES, ...found } : null;
};
