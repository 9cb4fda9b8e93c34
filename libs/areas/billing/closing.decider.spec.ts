import { describe, it } from '@jest/globals';
import { AllotmentSent } from '#events/billing/allotment.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { accountDecider } from './account.decider.js';
import { ACCOUNT, deposit, deposited, opened, place, placed, reversed } from './account.fixture.js';
import {
  accountClosed,
  add,
  added,
  arrived,
  childClosed,
  close,
  closeChild,
  openedBelow,
  PROJECT,
  receive,
  send,
  sent,
  TEAM,
} from './allotment.fixture.js';
import { CHILDREN_EVER_MAX, CHILDREN_MAX } from './allotment.rules.js';

const account = deciderSpecOf(accountDecider);
const team = [openedBelow(), arrived([400, 400, 400])] as const;
const UP = { from: TEAM, to: ACCOUNT, number: 9 };

/** Of the free money, at a close. */
const returned = (...[amounts, ends = UP]: Parameters<typeof sent>): AllotmentSent => {
  const { data } = sent(amounts, ends);
  return AllotmentSent.of({ ...data, allotmentNumber: 2, reason: 'closed' });
};
const closed = [...team, returned([400, 400, 0]), accountClosed()] as const;

describe('a sub-account that is closed', () => {
  it('sends its free money up in the same decision', () => {
    account
      .given(...team)
      .when(close())
      .then(returned([400, 400, 0]), accountClosed());
    account.given(openedBelow()).when(close()).then(accountClosed());
  });

  it('is closed once, and returns money that has come since', () => {
    account
      .given(...closed)
      .when(close())
      .thenNothing();
    const late = arrived([50, 450, 50], { number: 3 });
    const again = { ...sent([50, 450, 0], { ...UP, number: 10 }).data, allotmentNumber: 4 };
    account
      .given(...closed, late)
      .when(close(TEAM, 10))
      .then(AllotmentSent.of({ ...again, reason: 'closed' }));
  });

  it('has no open hold', () => {
    account
      .given(...team, placed([1_000, 0], 150, 250))
      .when(close())
      .thenThrows('holds_open');
  });

  it('has no open sub-account, which comes before its holds', () => {
    const project = added(TEAM, PROJECT, 2);
    account
      .given(...team, project)
      .when(close())
      .thenThrows('sub_accounts_open');
    account
      .given(...team, project, placed([1_000, 0], 150, 250))
      .when(close())
      .thenThrows('sub_accounts_open');
    account
      .given(...team, project, childClosed(PROJECT))
      .when(close())
      .then(returned([400, 400, 0]), accountClosed());
  });

  it('is not overdrawn', () => {
    const spent = [deposited(1_000, 1_400), sent([1_400, 1_400, 0], UP)] as const;
    account
      .given(...team, ...spent, reversed([600, 600], -600))
      .when(close())
      .thenThrows('account_overdrawn');
  });

  it('is below another account', () => {
    account.given(opened).when(close(ACCOUNT)).thenThrows('not_related');
  });

  it('places no hold and adds no sub-account', () => {
    account
      .given(...closed, deposited(1_000, 1_000))
      .when(place([1, 0]))
      .thenThrows('account_closed');
    account
      .given(...closed)
      .when(add(PROJECT, TEAM))
      .thenThrows('account_closed');
  });

  it('keeps money that was on its way, until it is taken back', () => {
    account
      .given(...closed)
      .when(receive(450))
      .then(arrived([50, 450, 50], { number: 3 }));
    account
      .given(...closed)
      .when(deposit(10))
      .then(deposited(10, 10));
    account
      .given(...closed, arrived([50, 450, 50], { number: 3 }))
      .when(send(50, { ...UP, number: 4 }))
      .then(sent([50, 450, 0], { ...UP, number: 4 }));
  });
});

describe('an account whose sub-account is closed', () => {
  const parent = [opened, deposited(1_000, 1_000), added()] as const;

  it('knows it once', () => {
    account
      .given(...parent)
      .when(closeChild())
      .then(childClosed());
    account
      .given(...parent, childClosed())
      .when(closeChild())
      .thenNothing();
    account.given(opened).when(closeChild()).thenThrows('not_related');
  });

  it('sends it no money, and receives what it returns', () => {
    account
      .given(...parent, childClosed())
      .when(send(1))
      .thenThrows('account_closed');
    account
      .given(...parent, sent([400, 400, 600]), childClosed())
      .when(receive(400, { from: TEAM, to: ACCOUNT }))
      .then(arrived([400, 400, 1_000], { from: TEAM, to: ACCOUNT, number: 2 }));
  });

  it('has room for another one, up to a number with closed ones', () => {
    const ids = Array.from({ length: CHILDREN_EVER_MAX }, (_, n) => `team-${n}`);
    const children = ids.map((id) => added(ACCOUNT, id));
    const { data } = childClosed();
    const ended = ids.map((childId) => ({ ...childClosed(), data: { ...data, childId } }));
    account
      .given(opened, ...children.slice(0, CHILDREN_MAX), ...ended.slice(0, 1))
      .when(add())
      .then(added());
    account
      .given(opened, ...children, ...ended)
      .when(add())
      .thenThrows('too_many_sub_accounts');
    account
      .given(opened, ...children.slice(1), ...ended.slice(1))
      .when(add())
      .then(added());
  });
});
