import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { Balance, type BalanceProps } from '../shell/balance.js';
import { type Fact, Facts } from '../shell/facts.js';
import { count, instant, usdOfMicro } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';

type LogState = AnswerOf<'/audit/state'>;
type LedgerCheck = AnswerOf<'/api/v1/ledger/check'>;
type OpenHold = LedgerCheck['open_holds'][number];

const HOLDS: readonly Column<OpenHold>[] = [
  { name: 'Placed, UTC', cell: (hold) => instant(hold.placed_at) },
  { name: 'Expires, UTC', cell: (hold) => instant(hold.expires_at) },
  {
    name: 'Account',
    cell: ({ account_id: account }) => (
      <a data-page href={addressOf('/events', { stream: `account-${account}` })}>
        {account}
      </a>
    ),
  },
  { name: 'Product', cell: ({ purpose }) => purpose },
  { name: 'Amount', isNumber: true, cell: (hold) => usdOfMicro(hold.amount_micro_usd) },
];

const sumOf = ({ position }: LedgerCheck, sum: BalanceProps['sum'], microUsd: string) => (
  <Balance key={sum} scope="all" amount={`${microUsd}E-6`} {...{ sum, position }} />
);

const sumsOf = (check: LedgerCheck): readonly Fact[] => [
  ['Deposits', sumOf(check, 'deposited', check.deposited_micro_usd)],
  ['Charges', usdOfMicro(check.charged_micro_usd)],
  ['Open holds', sumOf(check, 'held', check.held_micro_usd)],
  ['Adjustments', usdOfMicro(check.adjusted_micro_usd)],
  ['Available', sumOf(check, 'available', check.available_micro_usd)],
  ['Accounts', count(check.accounts)],
  ['Events of accounts', count(check.events)],
  ['Chain, last hash', check.chain === null ? 'not kept' : <code>{check.chain.hash ?? '–'}</code>],
];

const faultsOf = (check: LedgerCheck): readonly string[] => [
  ...check.faults.map(({ position, law }) => `Position ${position}: broken: ${law}.`),
  ...check.damaged.map(({ position, reason }) => `Position ${position}: ${reason}.`),
  ...(check.read_model_failure === null ? [] : [check.read_model_failure]),
];

/** Deposits - charges - holds + adjustments = available, added up by the browser too. */
const Conservation = ({ check }: { readonly check: LedgerCheck }) => {
  const left =
    BigInt(check.deposited_micro_usd) -
    BigInt(check.charged_micro_usd) -
    BigInt(check.held_micro_usd) +
    BigInt(check.adjusted_micro_usd);
  const holds = check.balanced && left === BigInt(check.available_micro_usd);
  return (
    <>
      <p id="conservation" class={holds ? 'success' : 'failure'}>
        {holds
          ? 'The ledger balances: deposits less charges and holds, plus adjustments, are available.'
          : 'The ledger does not balance.'}
      </p>
      <ul class="failure">
        {faultsOf(check).map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
      <Facts facts={sumsOf(check)} />
      <h2>Open holds, from the oldest</h2>
      {check.open_holds.length === 0 ? (
        <p>No hold is open: no paid work runs.</p>
      ) : (
        <Table
          label="Open holds"
          columns={HOLDS}
          rows={check.open_holds}
          keyOf={(hold) => hold.hold_id}
        />
      )}
    </>
  );
};

const witnessesOf = ({ witnesses }: LogState): string =>
  witnesses.length === 0
    ? 'none: set QUIPU_AUDIT_WITNESSES'
    : witnesses
        .map(
          ({ name, has_cosigned: has }) => `${name} ${has ? 'cosigned' : 'has not cosigned yet'}`,
        )
        .join(', ');

const Published = ({ state }: { readonly state: LogState }) => (
  <>
    {state.contradiction !== null && (
      <p class="failure" role="alert">
        No checkpoint is signed any more: {state.contradiction}
      </p>
    )}
    <Facts
      facts={[
        ['Events of the last checkpoint', count(Number(state.position))],
        ['Events after it', count(state.unpublished_events)],
        ['Root', <code key="root">{state.root}</code>],
        ['Key of the log', <code key="key">{state.verifier_key}</code>],
        ['Witnesses', witnessesOf(state)],
      ]}
    />
  </>
);

const LedgerPage = () => {
  const state = usePageRead(() => routeOf('/audit/state'));
  const check = useRead(() => routeOf('/api/v1/ledger/check'));
  return (
    <>
      <h1>Ledger health</h1>
      <OfNow />
      <h2>Conservation</h2>
      <Answered state={check}>{(found) => <Conservation check={found} />}</Answered>
      <h2>The published log</h2>
      <Answered state={state}>{(found) => <Published state={found} />}</Answered>
      <p class="quiet">
        Dead letters are in the bus: <code>quipu dead-letters list</code> names them. Lags of
        readers are in <code>/health/ready</code> and <code>/metrics</code>.
      </p>
    </>
  );
};

export default LedgerPage;
