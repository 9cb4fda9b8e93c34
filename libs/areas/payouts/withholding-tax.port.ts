import { type Withholding } from '#events/payouts/payout.events.js';
import { type MicroUsd } from '#platform/kernel/money.js';

/** A payment of which tax may be withheld. */
export interface TaxedPayment {
  /** Of the payee: ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly incomeType: Withholding['incomeType'];
  /** The payee has a valid claim of the benefits of a tax treaty. */
  readonly treatyClaimed: boolean;
  readonly amountMicroUsd: MicroUsd;
  /** The instant of the payment, ISO 8601. */
  readonly on: string;
}

export interface WithheldTax {
  readonly ratePercent: number;
  readonly withheldMicroUsd: MicroUsd;
  readonly article: string;
  readonly source: string;
  /** The date of the source. */
  readonly asOf: string;
}

/** The tax on payouts. The composition root binds it. */
export abstract class WithholdingTax {
  /** @throws DomainError for an unknown country */
  abstract decide(payment: TaxedPayment): Promise<WithheldTax>;
}
