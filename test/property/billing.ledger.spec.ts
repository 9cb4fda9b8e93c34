import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AccountCommand, accountDecider } from '#areas/billing/account.decider.js';
import { accountSnapshots } from '#areas/billing/account.snapshot.js';
import { type AccountState } from '#areas/billing/account.state.js';
import {
  ACCOUNT,
  adjust,
  capture,
  closeStatement,
  deposit,
  ENDED_AT,
  expire,
  EXPIRES_AT,
  open,
  place,
  release,
  renew,
  RENEWED_UNTIL,
  reverse,
  settle,
} from '#areas/billing/account.fixture.js';
import { LedgerAudit } from '#areas/billing/ledger-audit.js';
import { type AccountEvent } from '#events/billing/account.events.js';
import { type StatementTaxTerms } from '#areas/billing/statements/close-statement.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';

const { decide, evolve, initialState } = accountDecider;

/** Few ids, so that commands meet open holds, ended holds and missing holds. */
const holdId = fc.constantFrom(
  ...['a', 'b', 'c'].map((x) => `01890a5d-ac96-774b-bcce-${x.repeat(12)}`),
);
const LAST_UNTIL = '2026-11-21T06:00:00.000Z';
const VAT: StatementTaxTerms = {
  country: 'DE',
  region: null,
  treatment: 'taxable',
  kind: 'vat',
  ratePpm: 190_000,
  source: 'a table',
};
const tokens = fc.tuple(fc.nat(4_000), fc.nat(4_000));
const command: fc.Arbitrary<AccountCommand> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(5_000), fc.constantFrom('x', 'y', 'z')).map((d) => deposit(...d)),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(tokens, holdId, fc.option(fc.nat(16)))
      .map(([wanted, id, outputAtLeast]) => place(wanted, { holdId: id, outputAtLeast })),
  },
  { weight: 6, arbitrary: fc.tuple(tokens, holdId).map((charge) => capture(...charge)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(tokens, fc.constantFrom(EXPIRES_AT, RENEWED_UNTIL, LAST_UNTIL), holdId)
      .map(([more, expiresAt, id]) => renew(more, { expiresAt, holdId: id })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: -3_000, max: 3_000 }), fc.constantFrom('x', 'y', 'z'))
      .map((adjustment) => adjust(...adjustment)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('2026-11', '2026-12'), fc.constantFrom(null, VAT))
      .map(([month, tax]) => closeStatement(month, tax, '2027-01-02T00:00:00.000Z')),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.nat(5_000),
        fc.constantFrom('refund' as const, 'chargeback' as const),
        fc.constantFrom('x', 'y'),
      )
      .map((reversal) => reverse(...reversal)),
  },
  { weight: 2, arbitrary: holdId.map(release) },
  { weight: 1, arbitrary: holdId.map(settle) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(ENDED_AT, EXPIRES_AT, RENEWED_UNTIL, LAST_UNTIL), holdId)
      .map((end) => expire(...end)),
  },
);
const schedule = fc.array(command, { minLength: 1, maxLength: 60 }).map((all) => [open, ...all]);

interface Log {
  readonly state: AccountState;
  readonly events: readonly AccountEvent[];
}

/** Decides as the command runner does: a domain error changes nothing. */
const attempt = ({ state, events }: Log, one: AccountCommand): Log => {
  try {
    const decided = decide(one, state);
    return { state: decided.reduce(evolve, state), events: [...events, ...decided] };
  } catch (error) {
    if (error instanceof DomainError) return { state, events };
    throw error;
  }
};

const logOf = (commands: readonly AccountCommand[]): Log =>
  commands.reduce(attempt, { state: initialState, events: [] });

/** The sum of the amounts of one event type, without code of billing. */
const sumOf = (events: readonly AccountEvent[], type: AccountEvent['type']): bigint =>
  events.reduce(
    (sum, event) =>
      event.type === type && 'amountMicroUsd' in event.data
        ? sum + BigInt(event.data.amountMicroUsd)
        : sum,
    0n,
  );

/** As the last event that moves money states it. */
const lastAvailable = (events: readonly AccountEvent[]): bigint => {
  const stated = events.flatMap(({ data }) =>
    'availableMicroUsd' in data ? [BigInt(data.availableMicroUsd)] : [],
  );
  return stated.at(-1) ?? 0n;
};

describe('after any schedule of commands', () => {
  it('deposits - charges - holds + adjustments = available, below zero by a reversal only', () => {
    fc.assert(
      fc.property(schedule, (commands) => {
        const { state, events } = logOf(commands);
        const open =
          sumOf(events, 'HoldPlaced') +
          sumOf(events, 'HoldRenewed') -
          sumOf(events, 'HoldReleased') -
          sumOf(events, 'HoldExpired') -
          events.reduce(
            (sum, { type, data }) =>
              type === 'HoldCaptured'
                ? sum + BigInt(data.amountMicroUsd) + BigInt(data.releasedMicroUsd)
                : sum,
            0n,
          );
        const adjusted = sumOf(events, 'ChargeAdjusted');
        const charged = sumOf(events, 'HoldCaptured');
        const reversed = sumOf(events, 'DepositReversed');
        const deposited = sumOf(events, 'FundsDeposited') - reversed;
        const available = deposited - charged - open + adjusted;
        expect(available).toBe(lastAvailable(events));
        expect(state.available).toBe(available);
        expect(state.held).toBe(open);
        expect(available >= 0n || reversed > 0n).toBe(true);
        expect(deposited >= 0n && open >= 0n && adjusted <= charged).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('the audit finds no fault', () => {
    fc.assert(
      fc.property(schedule, (commands) => {
        const audit = new LedgerAudit();
        logOf(commands).events.forEach((event, index) => audit.take(event, BigInt(index)));
        expect(audit.faults).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('a hold ends at most once for each placement, and is never charged above', () => {
    fc.assert(
      fc.property(schedule, (commands) => {
        const open = new Map<string, bigint>();
        for (const { type, data } of logOf(commands).events) {
          if (!('holdId' in data)) continue;
          const amount = BigInt(data.amountMicroUsd);
          const held = open.get(data.holdId);
          if (type === 'HoldPlaced') {
            expect(held).toBeUndefined();
            open.set(data.holdId, amount);
          } else if (type === 'HoldRenewed') {
            expect(held).toBeDefined();
            open.set(data.holdId, (held ?? 0n) + amount);
          } else {
            expect(held).toBeDefined();
            expect(amount <= (held ?? -1n)).toBe(true);
            open.delete(data.holdId);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('the projection agrees with the decider', () => {
    fc.assert(
      fc.property(schedule, (commands) => {
        const { state, events } = logOf(commands);
        const overview = events.reduce(
          (document, event) => accountOverview.project(event, document, ACCOUNT) ?? document,
          accountOverview.initial(ACCOUNT),
        );
        expect(overview).toEqual({
          accountId: ACCOUNT,
          available: String(state.available),
          deposited: String(state.deposited),
          charged: { inference: String(state.charged), compute: '0' },
          adjusted: String(state.adjusted),
          held: String(state.held),
          openHolds: state.holds.size,
        });
      }),
    );
  });

  it('a fold from any snapshot gives the same state', () => {
    fc.assert(
      fc.property(schedule, fc.nat(60), (commands, taken) => {
        const { state: before } = logOf(commands.slice(0, taken));
        const json = JSON.parse(JSON.stringify(accountSnapshots.toJson(before))) as object;
        const restored = { state: accountSnapshots.fromJson(json), events: [] };
        const { state: resumed } = commands.slice(taken).reduce(attempt, restored);
        const { state: straight } = logOf(commands);
        expect(accountSnapshots.toJson(resumed)).toEqual(accountSnapshots.toJson(straight));
      }),
    );
  });
});
