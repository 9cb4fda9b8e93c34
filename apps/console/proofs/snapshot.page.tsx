import { Answered, usePageRead } from '../shell/answer.js';
import { type Fact, Facts } from '../shell/facts.js';
import { count, instant } from '../shell/figures.js';
import { type Filter, filtered, Filters } from '../shell/filters.js';
import { OfNow } from '../shell/list.js';
import { query } from '../shell/location.js';
import { type AnswerOf, type QueryOf, routeOf } from '../shell/routes.js';

type Snapshot = AnswerOf<'/api/v1/space/zk_snapshot.php'>;

const FILTERS: readonly Filter<QueryOf<'/api/v1/space/zk_snapshot.php'>>[] = [
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

const FoundSnapshot = () => {
  const state = usePageRead(() => routeOf('/api/v1/space/zk_snapshot.php', filtered(FILTERS)));
  return (
    <Answered state={state}>
      {(snapshot) => (
        <>
          <p>
            The proofs show that the total is the sum of all leaves, and hide the leaves of others.
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
  );
};

/** A proof takes the gateway seconds: the page asks for one when its reader does. */
const SnapshotPage = () => (
  <>
    <h1>Proofs</h1>
    <OfNow />
    <Filters filters={FILTERS} />
    {query.value.has('statement') ? (
      <FoundSnapshot />
    ) : (
      <p>Choose a statement. The gateway proves it for the newest checkpoint.</p>
    )}
  </>
);

export default SnapshotPage;
