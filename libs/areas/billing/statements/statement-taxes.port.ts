import { type StatementTaxTerms } from './close-statement.js';

/** How the charges of an account are taxed. The composition root binds it. */
export abstract class StatementTaxes {
  /**
   * Null where no tax is stated: the operator or the account has no country.
   * @param at ISO 8601 UTC: the last instant of the month
   */
  abstract termsOf(accountId: string, at: string): Promise<StatementTaxTerms | null>;
}
