import { describe, it } from '@jest/globals';
import { TREE_DEPTH_MAX } from '#events/billing/allotment.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { accountDecider } from './account.decider.js';
import { ACCOUNT, deposited, opened, placed, reversed } from './account.fixture.js';
import { CHILDREN_MAX } from './allotment.rules.js';
import {
  add,
  added,
  arrived,
  openedBelow,
  PROJECT,
  receive,
  send,
  sent,
  TEAM,
} from './allotment.fixture.js';
import { DEPOSITED_MAX } from './deposit.rules.js';

const account = deciderSpecOf(accountDecider);
const funded = [opened, deposited(1_000, 1_000)] as const;
const parent = [...funded, added()] as const;
const team = [openedBelow(), arrived([400, 400, 400])] as const;
const UP = { from: TEAM, to: ACCOUNT };

describe('a sub-account', () => {
  it('is added once, a level below its parent', () => {
    account.given(opened).when(add()).then(added());
    account.given(opened, added()).when(add()).thenNothing();
    account
      .given(openedBelow())
      .when(add(PROJECT, TEAM))
      .then(added(TEAM, PROJECT, 2));
  });

  it('is one of a limited number', () => {
    const children = Array.from({ length: CHILDREN_MAX }, (_, n) => added(ACCOUNT, `team-${n}`));
    account
      .given(opened, ...children)
      .when(add())
      .thenThrows('too_many_sub_accounts');
    account
      .given(opened, ...children.slice(1))
      .when(add())
      .then(added());
  });

  it('does not count its parent as a child', () => {
    const children = Array.from({ length: CHILDREN_MAX - 1 }, (_, n) => added(TEAM, `team-${n}`));
    account
      .given(openedBelow(), ...children)
      .when(add(PROJECT, TEAM))
      .then(added(TEAM, PROJECT, 2));
  });

  it('is at a limited depth', () => {
    account
      .given(openedBelow(ACCOUNT, TEAM, TREE_DEPTH_MAX - 1))
      .when(add(PROJECT, TEAM))
      .then(added(TEAM, PROJECT, TREE_DEPTH_MAX));
    account
      .given(openedBelow(ACCOUNT, TEAM, TREE_DEPTH_MAX))
      .when(add(PROJECT, TEAM))
      .thenThrows('tree_too_deep');
  });
});

describe('an allotment', () => {
  it('leaves the balance of the parent', () => {
    account
      .given(...parent)
      .when(send(400))
      .then(sent([400, 400, 600]));
    account
      .given(...parent, sent([400, 400, 600]))
      .when(send(600, { number: 2 }))
      .then(sent([600, 1_000, 0], { number: 2 }));
  });

  it('is sent once by one request', () => {
    const after = [...parent, sent([400, 400, 600])] as const;
    account
      .given(...after)
      .when(send(400))
      .thenNothing();
    account
      .given(...after)
      .when(send(401))
      .thenThrows('allotment_conflict');
  });

  it('is never above what is free', () => {
    account
      .given(...parent)
      .when(send(1_001))
      .thenThrows('allotment_above_available');
    account
      .given(...parent, placed([1_000, 1_000], 750, 250))
      .when(send(251))
      .thenThrows('allotment_above_available');
    account
      .given(...parent, reversed([1_000, 1_000], 0))
      .when(send(1))
      .thenThrows('allotment_above_available');
  });

  it('is above zero and has a limit in total', () => {
    account
      .given(...parent)
      .when(send(0))
      .thenThrows('amount_not_positive');
    const before = sent([0, 0, 1_000]);
    const most = { ...before, data: { ...before.data, totalMicroUsd: String(DEPOSITED_MAX) } };
    account
      .given(...parent, most)
      .when(send(1, { number: 2 }))
      .thenThrows('amount_too_large');
  });

  it('goes to a relative alone', () => {
    account
      .given(...parent)
      .when(send(1, { to: PROJECT }))
      .thenThrows('not_related');
    account
      .given(...team)
      .when(send(1, { from: TEAM, to: PROJECT }))
      .thenThrows('not_related');
    account
      .given(openedBelow())
      .when(receive(1, { from: PROJECT }))
      .thenThrows('not_related');
  });

  it('arrives once, however often and in whatever order it is delivered', () => {
    account
      .given(openedBelow())
      .when(receive(400))
      .then(arrived([400, 400, 400]));
    account
      .given(...team)
      .when(receive(400))
      .thenNothing();
    account
      .given(...team)
      .when(receive(300))
      .thenNothing();
    account
      .given(...team)
      .when(receive(1_000))
      .then(arrived([600, 1_000, 1_000], { number: 2 }));
  });

  it('goes back as far as it is not spent', () => {
    account
      .given(...team)
      .when(send(400, { ...UP, number: 2 }))
      .then(sent([400, 400, 0], { ...UP, number: 2 }));
    account
      .given(...team, placed([1_000, 0], 150, 250))
      .when(send(251, { ...UP, number: 2 }))
      .thenThrows('allotment_above_available');
    account
      .given(...parent, sent([400, 400, 600]))
      .when(receive(400, { from: TEAM, to: ACCOUNT }))
      .then(arrived([400, 400, 1_000], { ...UP, number: 2 }));
  });
});
