import { Answered, usePageRead } from '../shell/answer.js';
import { routeOf } from '../shell/api.js';
import { type Fact, Facts } from '../shell/facts.js';
import { count, instant } from '../shell/figures.js';
import { type Filter, filtered, Filters } from '../shell/filters.js';
import { OfNow } from '../shell/list.js';

interface Snapshot {
  readonly position?: null;
  readonly statement: string;
  readonly prover_scheme: string;
  readonly key_id: string;
  readonly key_source: string;
  readonly log_position: string;
  readonly as_of: string;
  readonly age_seconds: number;
  readonly root: string;
  readonly total: string;
  readonly unit: string;
  readonly leaves: number;
  readonly proofs: readonly object[];
  readonly own: readonly { readonly id: string; readonly amount: string }[];
}

const FILTERS: readonly Filter[] = [
  {
    name: 'statement',
    label: 'Statement',
    choices: ['ledger_balances', 'orbital_bundles'],
    initial: 'ledger_balances',
  },
];

const factsOf = (snapshot: Snapshot): readonly Fact[] => [
  ['Total', `${snapshot.total} ${snapshot.unit.replace('_', ' ')}`],
  ['Leaves', count(snapshot.leaves)],
  ['Proofs', count(snapshot.proofs.length)],
  ['Scheme', snapshot.prover_scheme],
  ['Key', `${snapshot.key_id}, from ${snapshot.key_source}`],
  ['At position', snapshot.log_position],
  ['As of, UTC', instant(snapshot.as_of)],
  ['Age, seconds', count(snapshot.age_seconds)],
  ['Root', <code key="root">{snapshot.root}</code>],
];

const SnapshotPage = () => {
  const state = usePageRead<Snapshot>(() =>
    routeOf('/api/v1/space/zk_snapshot.php', filtered(FILTERS)),
  );
  return (
    <>
      <h1>Proofs</h1>
      <OfNow />
      <Filters filters={FILTERS} />
      <Answered state={state}>
        {(snapshot) => (
          <>
            <p>
              The proofs show that the total is the sum of all leaves, and hide the leaves of
              others.
            </p>
            <Facts facts={factsOf(snapshot)} />
            <h2>Your leaves</h2>
            {snapshot.own.length === 0 ? (
              <p>You have no leaf: an account is one when a checkpoint has it.</p>
            ) : (
              <ul>
                {snapshot.own.map(({ id, amount }) => (
                  <li key={id}>
                    {id}: {amount} {snapshot.unit.replace('_', ' ')}
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Answered>
    </>
  );
};

export default SnapshotPage;
