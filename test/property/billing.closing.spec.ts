import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AccountCommand, accountDecider } from '#areas/billing/account.decider.js';
import { ACCOUNT, capture, deposit, open, place, release } from '#areas/billing/account.fixture.js';
import { type AccountState } from '#areas/billing/account.state.js';
import {
  add,
  close,
  closeChild,
  openedBelow,
  PROJECT,
  receive,
  send,
  TEAM,
} from '#areas/billing/allotment.fixture.js';
import { LedgerAudit } from '#areas/billing/ledger-audit.js';
import { type AccountEvent } from '#events/billing/account.events.js';
import { DomainError } from '#platform/kernel/domain-error.js';

const { decide, evolve, initialState } = accountDecider;

const ACCOUNTS = [ACCOUNT, TEAM, PROJECT] as const;
const IDS = ['a', 'b'].map((x) => `01890a5d-ac96-774b-bcce-${x.repeat(12)}`);

/** A command, or the second half of a change: what one account has sent to the other arrives. */
type Step =
  AccountCommand | { readonly type: 'Deliver'; readonly from: string; readonly to: string };

const on = <C extends AccountCommand>(accountId: string, command: C): C => ({
  ...command,
  data: { ...command.data, accountId },
});

const accountId = fc.constantFrom(...ACCOUNTS);
const pair = fc.constantFrom<[from: string, to: string][]>(
  ...[[ACCOUNT, TEAM] as [string, string], [TEAM, ACCOUNT] as [string, string]],
  ...[[TEAM, PROJECT] as [string, string], [PROJECT, TEAM] as [string, string]],
);
const number = fc.integer({ min: 1, max: 1_000_000 });
const input = fc.constantFrom(0, 400, 2_000);
const holdId = fc.constantFrom(...IDS);
const team = fc.constantFrom(TEAM, PROJECT);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(accountId, fc.nat(500), number).map(([id, usd, n]) => on(id, deposit(usd, `d${n}`))),
  fc
    .tuple(pair, fc.nat(400), number)
    .map(([[from, to], amount, n]) => send(amount, { from, to, number: n })),
  pair.map(([from, to]): Step => ({ type: 'Deliver', from, to })),
  fc
    .tuple(accountId, input, holdId)
    .map(([id, input, hold]) => on(id, place([input, 0], { holdId: hold }))),
  fc.tuple(accountId, input, holdId).map(([id, input, hold]) => on(id, capture([input, 0], hold))),
  fc.tuple(accountId, holdId).map(([id, hold]) => on(id, release(hold))),
  fc.tuple(team, number).map(([id, n]) => close(id, n)),
  team.map((id) => closeChild(id)),
);

/** The streams of the three accounts, in one log. A domain error changes nothing. */
class Tree {
  readonly states = new Map<string, AccountState>();
  readonly log: AccountEvent[] = [];

  constructor() {
    for (const event of [openedBelow(ACCOUNT, TEAM, 1), openedBelow(TEAM, PROJECT, 2)]) {
      const parent = event.data.tree?.parentId ?? '';
      if (parent === ACCOUNT) this.run(open);
      this.run(add(event.data.accountId, parent));
      this.run({ type: 'OpenAccount', data: event.data });
    }
  }

  stateOf(id: string): AccountState {
    return this.states.get(id) ?? initialState;
  }

  /** The account above counts a child as closed only where it is, as the saga does. */
  take(one: Step): void {
    if (one.type === 'Deliver') {
      const sent = this.stateOf(one.from).relatives.get(one.to)?.sent ?? 0n;
      this.run(receive(Number(sent), one));
    } else if (one.type !== 'CloseSubAccount' || this.stateOf(one.data.childId).closed) {
      this.run(one);
    }
  }

  run(command: AccountCommand): void {
    const { accountId: id } = command.data;
    const state = this.stateOf(id);
    try {
      const events = decide(command, state);
      this.states.set(id, events.reduce(evolve, state));
      this.log.push(...events);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }
}

const treeAfter = (steps: readonly Step[]): Tree => {
  const tree = new Tree();
  for (const one of steps) tree.take(one);
  return tree;
};

const deliveries: readonly Step[] = [
  [ACCOUNT, TEAM],
  [TEAM, PROJECT],
  [PROJECT, TEAM],
  [TEAM, ACCOUNT],
].map(([from = '', to = '']) => ({ type: 'Deliver', from, to }));

const ends: readonly Step[] = IDS.flatMap((id) =>
  ACCOUNTS.map((account) => on(account, release(id))),
);

const totals = (tree: Tree): bigint =>
  [...tree.states.values()].reduce(
    (sum, { available, held, charged }) => sum + available + held + charged,
    0n,
  );

const depositedIn = ({ log }: Tree): bigint =>
  log.reduce(
    (sum, { type, data }) => (type === 'FundsDeposited' ? sum + BigInt(data.amountMicroUsd) : sum),
    0n,
  );

const steps = fc.array(step, { minLength: 1, maxLength: 60 });

describe('teams that are closed at any time', () => {
  it('lose no money, and the audit finds no fault', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const tree = treeAfter(all);
        const audit = new LedgerAudit();
        for (const [n, event] of tree.log.entries()) audit.take(event, BigInt(n + 1));
        expect(audit.faults).toEqual([]);
        expect(totals(tree) + audit.inTransit).toBe(depositedIn(tree));
      }),
    );
  });

  it('return all that they have not spent, once their holds have ended', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const closing = [...deliveries, close(PROJECT, 1_000_001), ...deliveries];
        const rest = [closeChild(PROJECT), close(TEAM, 1_000_002), ...deliveries, closeChild()];
        const tree = treeAfter([...all, ...ends, ...closing, ...rest]);
        const { available, charged } = tree.stateOf(ACCOUNT);
        const spent = [TEAM, PROJECT].map((id) => tree.stateOf(id));
        expect(spent).toMatchObject([
          ...[{ closed: true, available: 0n, held: 0n }],
          ...[{ closed: true, available: 0n, held: 0n }],
        ]);
        const ofTeams = spent.reduce((sum, one) => sum + one.charged, 0n);
        expect(available + charged + ofTeams).toBe(depositedIn(tree));
      }),
    );
  });
});
