import { describe, expect, it } from '@jest/globals';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type AccountCommand, accountDecider } from './account.decider.js';
import {
  capture,
  captured,
  deposited,
  ENDED_AT,
  expire,
  expired,
  EXPIRES_AT,
  linesOf,
  opened,
  OTHER_HOLD,
  placed,
  release,
  released,
  renew,
  renewed,
  RENEWED_UNTIL,
} from './account.fixture.js';

const account = deciderSpecOf(accountDecider);
/** Worst case 1,000 in and 1,000 out: 750 micro-dollars. */
const WORST = [1_000, 1_000] as const;

const reasoned = (reason: string): unknown =>
  expect.objectContaining({ metadata: expect.objectContaining({ reason }) as unknown });

describe('renewing a hold', () => {
  const held = [opened, deposited(1_000, 1_000), placed(WORST, 750, 250)] as const;
  const LATER = '2026-11-21T06:00:00.000Z';

  it('holds the next period on top, and longer', () => {
    account
      .given(...held)
      .when(renew([0, 100]))
      .then(renewed([0, 100], 60, 190));
  });

  it('holds longer for nothing more', () => {
    const { data } = renew([0, 0]);
    const longer = renewed([0, 0], 0, 250);
    account
      .given(...held)
      .when({ type: 'RenewHold', data: { ...data, lines: [] } })
      .then({ ...longer, data: { ...longer.data, lines: [] } });
  });

  it('lets a single line that it added be charged', () => {
    const longer = renewed([0, 100], 60, 190);
    const lines = longer.data.lines.slice(1);
    account
      .given(...held, { ...longer, data: { ...longer.data, lines } })
      .when(capture([1_000, 1_100]))
      .then(captured([1_000, 1_100], 810, 0, 190));
  });

  it('holds the last micro-dollar', () => {
    // 1,000 for the input and output leave 250 micro-dollars: 416 tokens of output cost 249.6.
    account
      .given(...held)
      .when(renew([0, 416]))
      .then(renewed([0, 416], 250, 0));
  });

  it('rounds the whole hold up once, not once a renewal', () => {
    // 0.6 of a micro-dollar are 1; 1.2 are 2; 1.8 are 2.
    const first = renewed([0, 1], 1, 249);
    const second = { expiresAt: LATER };
    account
      .given(...held, first)
      .when(renew([0, 1], second))
      .then(renewed([0, 1], 1, 248, second));
    const third = { expiresAt: '2026-11-21T07:00:00.000Z' };
    account
      .given(...held, first, renewed([0, 1], 1, 248, second))
      .when(renew([0, 1], third))
      .then(renewed([0, 1], 0, 248, third));
  });

  it('has nothing new for the same renewal', () => {
    account
      .given(...held, renewed([0, 100], 60, 190))
      .when(renew([0, 100]))
      .thenNothing();
  });

  it.each<[string, AccountCommand]>([
    ['to the same deadline with other lines', renew([0, 101])],
    ['to an earlier deadline', renew([0, 100], { expiresAt: EXPIRES_AT })],
  ])('rejects a renewal %s', (_, command) => {
    account
      .given(...held, renewed([0, 100], 60, 190))
      .when(command)
      .thenThrows('hold_conflict');
  });

  it('rejects what the balance does not cover', () => {
    account
      .given(...held)
      .when(renew([0, 417]))
      .thenThrows('insufficient_balance');
  });

  it('does not count on what the hold itself holds', () => {
    const state = [...held].reduce(accountDecider.evolve, accountDecider.initialState);
    expect(() => accountDecider.decide(renew([0, 417]), state)).toThrow(
      reasoned('insufficient_balance'),
    );
    const other = placed([0, 100], 60, 190, OTHER_HOLD);
    expect(() =>
      accountDecider.decide(renew([0, 400]), accountDecider.evolve(state, other)),
    ).toThrow(reasoned('in_flight'));
  });

  it('rejects more units than a number holds exactly', () => {
    const free = (tokens: number) =>
      linesOf([tokens, 0]).map((line) => ({ ...line, unitPriceMicroUsd: '0' }));
    const { type, data } = renewed([0, 0], 0, 250);
    const most = { type, data: { ...data, lines: free(Number.MAX_SAFE_INTEGER) } } as const;
    const more = renew([0, 0], { expiresAt: LATER });
    account
      .given(...held, most)
      .when({ ...more, data: { ...more.data, lines: free(1) } })
      .thenThrows('amount_too_large');
  });

  it('rejects another purpose than the purpose of the hold', () => {
    const { data } = renew(WORST);
    account
      .given(...held)
      .when({ type: 'RenewHold', data: { ...data, purpose: 'loom_rental' } })
      .thenThrows('purpose_mismatch');
  });

  it('says that a hold is not open before anything else', () => {
    account
      .given(...held, released(750, 1_000))
      .when(renew([0, 10_000], { expiresAt: ENDED_AT }))
      .thenThrows('hold_not_open');
  });

  it('says that it does not end later before it says that the balance is too low', () => {
    account
      .given(...held)
      .when(renew([0, 10_000], { expiresAt: ENDED_AT }))
      .thenThrows('hold_conflict');
  });

  const longer = [...held, renewed([0, 100], 60, 190)] as const;

  it('is charged with the first period in one capture', () => {
    account
      .given(...longer)
      .when(capture([1_000, 1_100]))
      .then(captured([1_000, 1_100], 810, 0, 190));
    account
      .given(...longer)
      .when(capture([1_000, 1_101]))
      .thenThrows('capture_above_hold');
  });

  it('is freed as a whole', () => {
    account
      .given(...longer)
      .when(release())
      .then(released(810, 1_000));
  });

  it('expires at its new deadline and not before', () => {
    account
      .given(...longer)
      .when(expire(EXPIRES_AT))
      .thenThrows('hold_not_due');
    const atLast = expired(810, 1_000);
    account
      .given(...longer)
      .when(expire(RENEWED_UNTIL))
      .then({ ...atLast, data: { ...atLast.data, expiredAt: RENEWED_UNTIL } });
  });
});
