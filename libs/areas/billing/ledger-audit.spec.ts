import { describe, expect, it } from '@jest/globals';
import { type AccountEvent, type StatementTax } from '#events/billing/account.events.js';
import {
  ACCOUNT,
  adjusted,
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
  statementClosed,
  reversed,
} from './account.fixture.js';
import {
  accountClosed,
  added,
  arrived,
  childClosed,
  openedBelow,
  PROJECT,
  sent,
  TEAM,
} from './allotment.fixture.js';
import { LedgerAudit } from './ledger-audit.js';

const audited = (...events: readonly AccountEvent[]): LedgerAudit => {
  const audit = new LedgerAudit();
  events.forEach((event, index) => audit.take(event, BigInt(index + 1)));
  return audit;
};

const WORST = [1_000, 1_000] as const;
const funded = [opened, deposited(1_000, 1_000)] as const;
const held = [...funded, placed(WORST, 750, 250)] as const;

const charged = [...held, captured([900, 100], 195, 555, 805)] as const;
/** 19 % in -94. */
const VAT: StatementTax = {
  country: 'DE',
  region: null,
  treatment: 'taxable',
  kind: 'vat',
  source: 'a table',
  ratePpm: 190_000,
  grossMicroUsd: '-94',
  taxMicroUsd: '-15',
};

const EARLIER = { expiresAt: ENDED_AT } as const;

/** From 195 to 191. */
const RERATING = {
  rateCardVersion: 4,
  sourceSha256: 'a'.repeat(64),
  lines: [],
  fromMicroUsd: '195',
  toMicroUsd: '191',
};

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
    statementClosed([0, 1_001, 195, 0, 806], 806),
    adjusted(95, 901),
    adjusted(-1, 900, { adjustmentId: 'second', adjustmentNumber: 2 }),
    statementClosed([806, 0, 0, 94, 900], 900, { month: '2026-12', tax: VAT }),
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
      adjusted: 94n,
      stated: 900n,
      closed: { month: '2026-12', left: 900n },
    });
  });
});

describe('a sound tree', () => {
  const tree = [...funded, added(), openedBelow()] as const;
  const up = { from: TEAM, to: ACCOUNT, number: 2 };

  it('has no fault, and knows what is on its way', () => {
    const given = [...tree, sent([400, 400, 600]), arrived([400, 400, 400])] as const;
    const returned = [...given, sent([100, 100, 300], up)] as const;
    expect(audited(...given)).toMatchObject({ faults: [], inTransit: 0n });
    expect(audited(...returned)).toMatchObject({ faults: [], inTransit: 100n });
    expect(audited(...returned, arrived([100, 100, 700], up))).toMatchObject({
      faults: [],
      inTransit: 0n,
    });
  });

  it('is not judged by a sender whose events cannot be read', () => {
    const audit = new LedgerAudit();
    audit.giveUp(ACCOUNT);
    audit.take(openedBelow(), 1n);
    audit.take(arrived([400, 400, 400]), 2n);
    expect(audit).toMatchObject({ faults: [], inTransit: 0n });
  });
});

describe('a team that is closed', () => {
  const team = [opened, added(), openedBelow(), added(TEAM, PROJECT, 2)] as const;
  const ended = [openedBelow(TEAM, PROJECT, 2), accountClosed(PROJECT)] as const;

  it('has no fault after the teams below it, and is not judged by one that cannot be read', () => {
    const closings = [childClosed(PROJECT), accountClosed(), childClosed()] as const;
    expect(audited(...team, ...ended, ...closings).faults).toEqual([]);
    const audit = audited(...team);
    audit.giveUp(PROJECT);
    audit.take(childClosed(PROJECT), 5n);
    expect(audit.faults).toEqual([]);
  });

  it.each<[law: string, events: readonly AccountEvent[]]>([
    ['an account is closed after its sub-accounts', [...team, ...ended, accountClosed()]],
    ['a sub-account counts as closed once it is closed', [...team, childClosed()]],
    [
      'an account is closed once, with no money and no hold',
      [...team, ...ended, accountClosed(PROJECT)],
    ],
    [
      'an account is closed once, with no money and no hold',
      [
        ...[opened, deposited(400, 400), added(), openedBelow(), sent([400, 400, 0])],
        ...[arrived([400, 400, 400]), accountClosed()],
      ],
    ],
    [
      'a closed account places no hold',
      [
        ...[opened, added(), openedBelow(), accountClosed()],
        forged(deposited(1_000, 1_000), { accountId: TEAM }),
        forged(placed([1_000, 0], 150, 850), { accountId: TEAM }),
      ],
    ],
  ])('%s', (law, events) => {
    expect(audited(...events).faults.map((fault) => fault.law)).toEqual([law]);
  });
});

describe('each law has a violation that is found', () => {
  it.each<[string, readonly AccountEvent[]]>([
    ['an account is opened once', [opened, opened]],
    ['an account is opened before anything else', [deposited(1_000, 1_000)]],
    ['a sub-account is added once', [opened, added(), added()]],
    ['a sub-account is opened below the account that has added it', [opened, openedBelow()]],
    [
      'an allotment is between an account and its sub-account',
      [...funded, added(), sent([400, 400, 600], { to: PROJECT })],
    ],
    [
      'the total of an allotment is the sum of all before it',
      [...funded, added(), sent([400, 401, 600])],
    ],
    [
      'no more arrives than was sent',
      [...funded, added(), openedBelow(), sent([400, 400, 600]), arrived([401, 401, 401])],
    ],
    [
      'the total of an allotment is the sum of all before it',
      [...funded, added(), openedBelow(), sent([400, 400, 600]), arrived([400, 399, 400])],
    ],
    [
      'nothing but a reversed deposit overdraws an account',
      [...funded, added(), sent([1_001, 1_001, -1])],
    ],
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
      'a charge has the purpose of its hold',
      [...held, forged(captured([900, 100], 195, 555, 805), { group: 'compute' })],
    ],
    [
      'a charge has the purpose of its hold',
      [...held, forged(captured([900, 100], 195, 555, 805), { purpose: 'loom_rental' })],
    ],
    ['a renewal is of an open hold', [...funded, renewed([0, 0], 0, 1_000)]],
    ['a renewal ends later than the hold did', [...held, renewed([0, 0], 0, 250, EARLIER)]],
    [
      'a renewal has the purpose of its hold',
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
    ['an adjustment is made once', [...charged, adjusted(5, 810), adjusted(5, 815)]],
    ['no more is given back than was charged', [...charged, adjusted(196, 1_001)]],
    [
      'a re-rating is the difference of its two prices',
      [...charged, forged(adjusted(5, 810), { kind: 'rerating', rerating: RERATING })],
    ],
    [
      'a closed statement is the sum of its month',
      [...charged, statementClosed([0, 1_000, 194, 0, 806], 805)],
    ],
    [
      'a closed statement is the sum of its month',
      [...charged, statementClosed([1, 1_000, 195, 0, 805], 805)],
    ],
    [
      'a closed statement gets no other movement',
      [...charged, statementClosed([0, 1_000, 195, 0, 805], 805), deposited(1, 806, 'late', 2)],
    ],
    [
      'statements are closed once and in order',
      [...charged, adjusted(5, 810), statementClosed([0, 0, 0, 5, 5], 810, { month: '2026-12' })],
    ],
    [
      'the tax of a statement is included in its charges',
      [
        ...charged,
        statementClosed([0, 1_000, 195, 0, 805], 805, {
          tax: { ...VAT, grossMicroUsd: '195', taxMicroUsd: '32' },
        }),
      ],
    ],
    ['what is freed is the whole hold', [...held, released(749, 1_000)]],
    [
      'a hold expires at its deadline, not before',
      [...held, forged(expired(750, 1_000), { expiredAt: ENDED_AT })],
    ],
    ['deposits - charges - holds + adjustments = available', [...held, released(750, 999)]],
  ])('%s', (law, events) => {
    const position = String(events.length);
    const accountId = events.at(-1)?.data.accountId;
    expect(audited(...events).faults).toEqual([{ accountId, position, law }]);
  });

  it('nothing but a reversed deposit overdraws an account', () => {
    const event = placed([10_000, 0], 1_500, 0);
    expect(audited(...funded, event).faults.map(({ law }) => law)).toEqual([
      'deposits - charges - holds + adjustments = available',
      'nothing but a reversed deposit overdraws an account',
    ]);
  });
});

describe('a deposit that goes back', () => {
  it('may overdraw the account', () => {
    const spent = placed([4_000, 0], 600, 400);
    expect(audited(...funded, spent, reversed([1_000, 1_000], -600)).faults).toEqual([]);
  });

  it('is never more than was credited', () => {
    const events = [...funded, reversed([600, 600], 400), reversed([401, 1_001], -1, 'refund', 2)];
    expect(audited(...events).faults.map(({ law }) => law)).toEqual([
      'no more of a deposit goes back than was credited',
    ]);
  });
});

describe('an account with an event that cannot be read', () => {
  it('is not judged from there on, and its events are counted', () => {
    const audit = audited(...funded);
    audit.giveUp(ACCOUNT);
    audit.take(placed([10_000, 0], 1_500, 0), 4n);
    expect(audit.isGivenUp(ACCOUNT)).toBe(true);
    expect(audit.faults).toEqual([]);
    expect(audit.events).toBe(3);
  });
});
