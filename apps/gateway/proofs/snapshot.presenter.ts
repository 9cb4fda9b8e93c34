import { LEAVES } from '#areas/proofs/ledger-prover.engine.js';
import { type OwnLeaf, type ShownSnapshot } from '#areas/proofs/ledger-snapshot.query.js';
import { type LedgerSnapshotDto } from './snapshot.dto.js';

const MS_PER_SECOND = 1_000;

const presentOwn = ({ balance, ...leaf }: OwnLeaf) => ({ ...leaf, balance_micro_usd: balance });

export const presentSnapshot = ({ snapshot, ageMs, own }: ShownSnapshot): LedgerSnapshotDto => {
  const { checkpoint, key } = snapshot;
  return {
    success: true,
    statement: 'ledger_balances',
    prover_scheme: key.scheme,
    key_id: key.keyId,
    key_source: key.source,
    log_position: checkpoint.position.toString(),
    as_of: new Date(snapshot.atMs).toISOString(),
    age_seconds: ageMs / MS_PER_SECOND,
    proven_at: new Date(snapshot.provenAtMs).toISOString(),
    checkpoint: {
      size: checkpoint.size,
      root_sha256: checkpoint.rootSha256,
      note: checkpoint.note,
    },
    root: snapshot.root,
    total_micro_usd: snapshot.totalMicroUsd.toString(),
    accounts: snapshot.leaves.length,
    leaves_per_proof: LEAVES,
    proofs: snapshot.claims.map(({ proof, signals }) => ({ proof, public_signals: signals })),
    own: own && presentOwn(own),
  };
};
