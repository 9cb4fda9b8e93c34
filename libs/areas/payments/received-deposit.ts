/** Money that was received for an account. */
export interface ReceivedDeposit {
  readonly accountId: string;
  /** The same one is credited once. */
  readonly depositId: string;
  readonly amountMicroUsd: string;
  readonly method: 'crypto' | 'stripe';
  readonly reason: string;
  readonly depositedAt: string;
}

/** The part of a deposit that went back to the payer. */
export interface ReturnedDeposit {
  readonly accountId: string;
  readonly depositId: string;
  readonly kind: 'refund' | 'chargeback';
  /** Of all that went back of the deposit in this way. */
  readonly totalMicroUsd: string;
  readonly reason: string;
  readonly reversedAt: string;
}
