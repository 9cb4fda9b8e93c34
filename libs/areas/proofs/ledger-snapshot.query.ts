import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { LEAVES } from './ledger-prover.engine.js';
import { type LedgerSnapshot, LedgerSnapshots, type OwnedLeaf } from './ledger-snapshots.js';
import { type Statement } from './snapshot-source.port.js';

export interface PlacedLeaf extends OwnedLeaf {
  /** Of the proof in the chain, and of the leaf in it; from 0. */
  readonly proof: number;
  readonly leaf: number;
}

export interface ShownSnapshot {
  readonly snapshot: LedgerSnapshot;
  /** Since the last event of the checkpoint. */
  readonly ageMs: number;
  /** The leaves of the account that asks. */
  readonly own: readonly PlacedLeaf[];
}

/** The newest proof of a statement, and the leaves of an account in it. */
export class LedgerSnapshotQuery extends Query<ShownSnapshot> {
  constructor(
    readonly statement: Statement,
    readonly accountId: string,
  ) {
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
  async execute({ statement, accountId }: LedgerSnapshotQuery): Promise<ShownSnapshot> {
    const snapshot = await this.snapshots.newest(statement);
    const ageMs = Math.max(0, this.clock.now() - snapshot.atMs);
    const own = snapshot.leaves
      .map((one, at) => ({ ...one, proof: Math.floor(at / LEAVES), leaf: at % LEAVES }))
      .filter((one) => one.accountId === accountId);
    return { snapshot, ageMs, own };
  }
}
