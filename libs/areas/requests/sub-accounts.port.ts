/** The teams below an account, each with an account of its own. */
export abstract class SubAccounts {
  /** At whatever distance; at most this many. */
  abstract below(accountId: string, most: number): Promise<readonly string[]>;
}
