import { describe, expect, it } from '@jest/globals';
import { type AccountEvent } from '#events/billing/account.events.js';
import {
  ACCOUNT,
  captured,
  deposited,
  ENDED_AT,
  expired,
  linesOf,
  opened,
  OTHER_HOLD,
  placed,
  released,
  renewed,
} from './account.fixture.js';
import { LedgerAudit } from './ledger-audit.js';

const audited = (...events: readonly AccountEvent[]): LedgerAudit => {
  const audit = new LedgerAudit();
  events.forEach((event, index) => audit.take(event, BigInt(index + 1)));
  return audit;
};

const WORST = [1_000, 1_000] as const;
const funded = [opened, deposited(1_000, 1_000)] as const;
const held = [...funded, placed(WORST, 750, 250)] as const;

const EARLIER = { expiresAt: ENDED_AT } as const;

/** An event with something in it forged. */
const forged = <Event extends AccountEvent>(event: Event, data: Partial<Event['data']>): Event => ({
  ...event,
  data: { ...event.data, ...data },
});

describe('a sound ledger', () => {
  const sound = [
    ...held,
    renewed([0, 100], 60, 190),
    captured([900, 100], 195, 615, 805),
    placed([1_000, 0], 150, 655, OTHER_HOLD),
    expired(150, 805, OTHER_HOLD),
    deposited(1, 806, 'second', 2),
    placed([0, 1], 1, 805),
    released(1, 806),
  ] as const;

  it('has no fault', () => {
    expect(audited(...sound).faults).toEqual([]);
  });

  it('adds up', () => {
    const { accounts, events } = audited(...sound);
    expect(events).toBe(sound.length);
    expect(accounts.get(ACCOUNT)).toMatchObject({
      deposited: 1_001n,
      charged: 195n,
      held: 0n,
      stated: 806n,
    });
  });
});

describe('each law has a violation that is found', () => {
  it.each<[string, readonly AccountEvent[]]>([
    ['an account is opened once', [opened, opened]],
    ['an account is opened before anything else', [deposited(1_000, 1_000)]],
    ['a deposit is credited once', [...funded, deposited(1_000, 2_000)]],
    [
      'a hold is placed once',
      [opened, deposited(2_000, 2_000), placed(WORST, 750, 1_250), placed(WORST, 750, 500)],
    ],
    ['a hold is the price of its lines', [...funded, placed(WORST, 749, 251)]],
    ['a hold ends once', [...held, released(750, 1_000), released(0, 1_000)]],
    ['a hold ends once', [...funded, expired(0, 1_000)]],
    ['a hold ends once', [...funded, captured([0, 0], 0, 0, 1_000)]],
    ['charge and release make up the hold', [...held, captured([900, 100], 195, 554, 805)]],
    ['a charge is the price of its lines', [...held, captured([900, 100], 194, 556, 806)]],
    [
      'a charge names the rate card of its hold',
      [...held, forged(captured([900, 100], 195, 555, 805), { rateCardVersion: 4 })],
    ],
    ['a charge is made of the lines of its hold', [...held, captured([0, 1_001], 601, 149, 399)]],
    [
      'a charge is for what its hold is for',
      [...held, forged(captured([900, 100], 195, 555, 805), { group: 'compute' })],
    ],
    [
      'a charge is for what its hold is for',
      [...held, forged(captured([900, 100], 195, 555, 805), { purpose: 'loom_rental' })],
    ],
    ['a renewal is of an open hold', [...funded, renewed([0, 0], 0, 1_000)]],
    ['a renewal ends later than the hold did', [...held, renewed([0, 0], 0, 250, EARLIER)]],
    [
      'a renewal is for what its hold is for',
      [...held, forged(renewed([0, 0], 0, 250), { purpose: 'loom_rental' })],
    ],
    ['a hold is the price of its lines', [...held, renewed([0, 100], 59, 191)]],
    [
      'charge and release make up the hold',
      [...held, renewed([0, 100], 60, 190), captured([900, 100], 195, 555, 805)],
    ],
    [
      'a hold expires at its deadline, not before',
      [...held, renewed([0, 0], 0, 250), expired(750, 1_000)],
    ],
    [
      'a charge is made of the lines of its hold',
      [
        ...held,
        forged(captured([500, 0], 75, 675, 925), {
          lines: linesOf([1_000, 0]).map((line) => ({ ...line, unitPriceMicroUsd: '75000' })),
        }),
      ],
    ],
    ['what is freed is the whole hold', [...held, released(749, 1_000)]],
    [
      'a hold expires at its deadline, not before',
      [...held, forged(expired(750, 1_000), { expiredAt: ENDED_AT })],
    ],
    ['deposits - charges - holds = available', [...held, released(750, 999)]],
  ])('%s', (law, events) => {
    const position = String(events.length);
    expect(audited(...events).faults).toEqual([{ accountId: ACCOUNT, position, law }]);
  });

  it('an account is never overdrawn', () => {
    const event = placed([10_000, 0], 1_500, 0);
    expect(audited(...funded, event).faults.map(({ law }) => law)).toEqual([
      'deposits - charges - holds = available',
      'an account is never overdrawn',
    ]);
  });
});
