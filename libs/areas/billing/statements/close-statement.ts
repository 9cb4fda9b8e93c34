import {
  StatementClosed,
  type StatementParties,
  type StatementTax,
} from '#events/billing/account.events.js';
import { monthOf } from '#events/billing/statement-month.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type AccountState } from '../account.state.js';
import { type BillingErrorCode } from '../billing.errors.js';
import { taxIncludedIn } from './included-tax.js';

/** The tax status of an account at the end of a month; the decider computes the amounts. */
export type StatementTaxTerms = Omit<StatementTax, 'grossMicroUsd' | 'taxMicroUsd'>;

export interface StatementClosing {
  readonly accountId: string;
  readonly month: string;
  /** Null without a tax status. */
  readonly tax: StatementTaxTerms | null;
  readonly parties: StatementParties;
  readonly closedAt: string;
}

/** A month without movements needs no closing: its statement is the balance that it began with. */
export const closeStatement = (
  { accountId, month, tax, parties, closedAt }: StatementClosing,
  { closedThrough, months, carried, available }: AccountState,
): readonly StatementClosed[] => {
  const sums = months.get(month);
  if ((closedThrough !== null && month <= closedThrough) || !sums) return [];
  if (monthOf(closedAt) <= month) reject(`the month ${month} is not over`);
  if (months.some((_, other) => other < month)) {
    reject(`a month before ${month} is not closed`);
  }
  const { deposited, charged, adjusted } = sums;
  return [
    StatementClosed.of({
      accountId,
      month,
      openingMicroUsd: toDecimal(carried),
      depositedMicroUsd: toDecimal(deposited),
      chargedMicroUsd: toDecimal(charged),
      adjustedMicroUsd: toDecimal(adjusted),
      closingMicroUsd: toDecimal(carried + deposited - charged + adjusted),
      tax: tax && taxed(tax, charged - adjusted),
      parties,
      closedAt,
      availableMicroUsd: toDecimal(available),
    }),
  ];
};

const taxed = (terms: StatementTaxTerms, gross: MicroUsd): StatementTax => ({
  ...terms,
  grossMicroUsd: toDecimal(gross),
  taxMicroUsd: toDecimal(taxIncludedIn(gross, terms.ratePpm)),
});

const reject = (detail: string): never => {
  throw new DomainError<BillingErrorCode>('month_not_closable', detail);
};
