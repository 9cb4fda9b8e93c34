import { LEAVES } from '#areas/proofs/ledger-prover.engine.js';
import { type PlacedLeaf, type ShownSnapshot } from '#areas/proofs/ledger-snapshot.query.js';
import { type LedgerSnapshotDto } from './snapshot.dto.js';

const MS_PER_SECOND = 1_000;

const presentLeaf = ({ proof, leaf, id, account, balance, salt }: PlacedLeaf) => ({
  proof,
  leaf,
  id,
  id_number: account,
  amount: balance,
  salt,
});

export const presentSnapshot = ({ snapshot, ageMs, own }: ShownSnapshot): LedgerSnapshotDto => {
  const { checkpoint, key } = snapshot;
  return {
    success: true,
    statement: snapshot.statement,
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
    total: snapshot.total.toString(),
    unit: snapshot.statement === 'ledger_balances' ? 'micro_usd' : 'bytes',
    leaves: snapshot.leaves.length,
    leaves_per_proof: LEAVES,
    proofs: snapshot.claims.map(({ proof, signals }) => ({ proof, public_signals: signals })),
    own: own.map(presentLeaf),
  };
};
