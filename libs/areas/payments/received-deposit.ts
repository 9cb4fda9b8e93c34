/** Money that was received for an account. */
export interface ReceivedDeposit {
  readonly accountId: string;
  /** The same one is credited once. */
  readonly depositId: string;
  readonly amountMicroUsd: string;
  readonly reason: string;
  readonly depositedAt: string;
}
