import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { FakeLedger } from '../ledger.fake.js';
import { PaidProcesses, type ProcessHold } from './paid-process.js';

/** The services of an area on the processes of the contract, and one piece of its work. */
export interface PaidProcessWork {
  /** Holds more for the next period. */
  readonly extend: () => Promise<void>;
  /** Ends the work, which has completed, or has failed before it used anything. */
  readonly end: (status: 'completed' | 'failed') => Promise<void>;
}

export interface PaidProcessArea {
  /** The first hold of the work. */
  readonly hold: Pick<ProcessHold, 'holdId' | 'lines'>;
  /** When the work begins and ends. ISO 8601. */
  readonly now: string;
  readonly open: (
    processes: PaidProcesses,
    clock: { readonly now: () => number },
  ) => PaidProcessWork;
}

/** The commands of a stream, decided in memory. */
export class DecidedState<Command, State, Event> {
  state: State;

  constructor(
    private readonly decider: Decider<Command, State, Event>,
    facts: readonly Event[],
  ) {
    this.state = facts.reduce<State>(decider.evolve, decider.initialState);
  }

  readonly run = (command: Command): Promise<{ readonly state: State }> => {
    const { decide, evolve } = this.decider;
    this.state = decide(command, this.state).reduce(evolve, this.state);
    return Promise.resolve({ state: this.state });
  };
}

/** The rules for every area whose work outlives the request for it. */
export const paidProcessContract = (name: string, { hold, now, open }: PaidProcessArea): void => {
  describe(`paid process contract: ${name}`, () => {
    let ledger: FakeLedger;
    let work: PaidProcessWork;
    const { holdId } = hold;

    beforeEach(async () => {
      ledger = new FakeLedger();
      const clock = { now: () => Date.parse(now) };
      const processes = new PaidProcesses(ledger, clock);
      work = open(processes, clock);
      const terms = { accountId: '7', purpose: 'weaving', rateCardVersion: 1, evidence: {} };
      const expiresAt = new Date(Date.parse(now) + 60_000).toISOString();
      await processes.place({ ...terms, ...hold, expiresAt }, now, contextOf(holdId, 'user:7'));
      ledger.calls.length = 0;
      ledger.orders.length = 0;
    });

    it('renews its hold for the next period', async () => {
      await work.extend();
      expect(ledger.calls).toEqual(['renew']);
      expect(ledger.renewals).toMatchObject([{ accountId: '7', holdId }]);
    });

    it('places a hold again that has expired, with all of its lines', async () => {
      ledger.expire();
      await work.extend();
      expect(ledger.calls).toEqual(['renew', 'place']);
      expect(ledger.placed).toMatchObject({ holdId, shrink: null });
      expect(ledger.placed.lines.slice(0, hold.lines.length)).toEqual(hold.lines);
      expect(ledger.placed.lines.length).toBeGreaterThan(hold.lines.length);
    });

    it('passes on that the account cannot pay for the next period', async () => {
      ledger.failures.renew = new DomainError('insufficient_balance', 'too little');
      await expect(work.extend()).rejects.toBe(ledger.failures.renew);
      expect(ledger.calls).toEqual(['renew']);
    });

    it('charges its usage once', async () => {
      await work.end('completed');
      expect(ledger.calls).toEqual(['capture completed']);
      expect(ledger.captured).toMatchObject({ accountId: '7', holdId });
      expect(ledger.captured.lines).not.toEqual([]);
    });

    it('does not charge again when its end is repeated', async () => {
      ledger.expire();
      ledger.found = 'charged';
      await work.end('completed');
      expect(ledger.calls).toEqual(['capture completed', 'settle']);
      expect(ledger.captures).toEqual([]);
    });

    it('is free when it has used nothing', async () => {
      await work.end('failed');
      expect(ledger.calls).toEqual(['settle']);
      expect(ledger.settled).toMatchObject([{ left: { holdId, reason: 'upstream_failed' } }]);
    });

    it('places a hold again that has expired before the charge', async () => {
      ledger.expire();
      await work.end('completed');
      const again = ['capture completed', 'settle', 'place', 'capture completed'];
      expect(ledger.calls).toEqual(again);
      const rates = ledger.captured.lines.map(({ rig: _, ...line }) => line);
      expect(ledger.placed.lines).toEqual(rates);
    });

    it('ends uncollected when the account cannot pay then', async () => {
      ledger.expire();
      ledger.failures.place = new DomainError('budget_exceeded', 'too little');
      await work.end('completed');
      expect(ledger.calls).toEqual(['capture completed', 'settle', 'place']);
    });
  });
};
