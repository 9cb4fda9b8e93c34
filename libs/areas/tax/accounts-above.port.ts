/** The tree of accounts. The composition root binds it. */
export abstract class AccountsAbove {
  /** The nearest first; none for the account of a user. */
  abstract of(accountId: string): Promise<readonly string[]>;
}
