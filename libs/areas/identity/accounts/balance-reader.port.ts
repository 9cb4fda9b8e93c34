/** Reads the balance of an account. The composition root binds it. */
export abstract class BalanceReader {
  /** Deposits less charges, in micro-dollars; zero for an account without either. */
  abstract balanceMicroUsd(accountId: string): Promise<bigint>;
}
