import { describe, expect, it } from '@jest/globals';
import { type LiveEvent } from '#events/live/live.events.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { type MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { paidProcessContract } from '#platform/ledger/paid-work/paid-process.contract.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { liveDecider, type LiveSessionRecord, type LiveState } from './session.decider.js';
import { AT, connected, ended, LINES, opened, SESSION } from './session.fixture.js';
import { SessionFunds } from './session-funds.js';

const NEXT = '2026-11-26T05:02:00.000Z';
const LATER = '2026-11-26T05:00:30.000Z';
const context = contextOf(SESSION, 'saga:live');
const PRICES = new Map(LINES.map(({ meter, quantity: _, ...price }) => [meter, price]));
const listOf = (prices: typeof PRICES): MeterPrices => ({
  inForce: () => ({ rateCardVersion: 3, prices }),
});

const recordOf = (...facts: readonly LiveEvent[]): LiveSessionRecord => {
  const { evolve, initialState } = liveDecider;
  return facts.reduce<LiveState>(evolve, initialState) as LiveSessionRecord;
};

paidProcessContract('stream sessions', {
  hold: { holdId: SESSION, lines: LINES },
  now: AT,
  open: (processes, clock) => {
    const funds = new SessionFunds(processes, listOf(PRICES), clock);
    return {
      extend: async () => {
        await funds.renew(recordOf(opened), NEXT, context);
      },
      end: (status) => {
        const end = status === 'completed' ? ended('hang_up', 1, 9, LATER) : LAPSED;
        return funds.charge(recordOf(opened, connected(), end), context);
      },
    };
  },
});

const LAPSED = ended('lapsed', 0, 0, LATER);

describe('the price of a stream session', () => {
  const openFunds = (prices = PRICES) => {
    const ledger = new FakeLedger();
    const clock = { now: () => Date.parse(AT) };
    return {
      ledger,
      funds: new SessionFunds(new PaidProcesses(ledger, clock), listOf(prices), clock),
    };
  };

  it('is held for a minute and its frames, longer than the minute', async () => {
    const { ledger, funds } = openFunds();
    const { hold: _, ...session } = opened.data;
    await funds.place(session, contextOf(SESSION, 'user:7', { key: 'key-1' }));
    expect(ledger.placed).toMatchObject({
      holdId: SESSION,
      purpose: 'live_session',
      lines: LINES,
      key: 'key-1',
      expiresAt: '2026-11-26T05:11:00.000Z',
    });
  });

  it('is the minutes that have begun and the frames that were drawn', async () => {
    const { ledger, funds } = openFunds();
    const { hold: _, ...session } = opened.data;
    await funds.place(session, context);
    await funds.charge(recordOf(opened, connected(), ended('funds', 1, 9, LATER)), context);
    expect(ledger.captured).toMatchObject({
      lines: [
        { meter: 'live_minutes', quantity: 1 },
        { meter: 'live_frames', quantity: 9 },
      ],
      evidence: { sessionId: SESSION, end: 'funds', minutes: 1, frames: 9 },
      excess: [],
    });
  });

  it('never exceeds its hold', async () => {
    const { ledger, funds } = openFunds();
    const { hold: _, ...session } = opened.data;
    await funds.place(session, context);
    await funds.charge(recordOf(opened, connected(), ended('hang_up', 2, 241, NEXT)), context);
    expect(ledger.captured).toMatchObject({
      lines: LINES,
      excess: [
        { meter: 'live_minutes', quantity: 1 },
        { meter: 'live_frames', quantity: 1 },
      ],
    });
  });

  it('must be on the rate card', async () => {
    const { funds } = openFunds(new Map());
    const { hold: _, ...session } = opened.data;
    const placing = funds.place(session, context);
    await expect(placing).rejects.toMatchObject({ code: 'live_not_priced' });
  });
});
