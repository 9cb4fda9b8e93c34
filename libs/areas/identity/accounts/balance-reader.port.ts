/** What an account has, for the profile. */
export interface BalanceReader {
  /** Deposits less charges; zero for an account without either. */
  balanceMicroUsd(accountId: string): Promise<bigint>;
}
export const BALANCE_READER = Symbol('BalanceReader');
