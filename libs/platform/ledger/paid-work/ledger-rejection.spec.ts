import { expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { isUnpayable } from './ledger-rejection.js';

it.each([
  ['insufficient_balance', true],
  ['budget_exceeded', true],
  ['account_closed', true],
  ['hold_not_open', false],
])('work that is rejected with %s cannot be paid: %s', (code, expected) => {
  expect(isUnpayable(new DomainError(code, 'spec'))).toBe(expected);
});
