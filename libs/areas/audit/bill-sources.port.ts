/** A statement of billing: the verifier of bills knows its fields. */
export interface BilledStatement {
  readonly status: string;
  /** The log position that it reflects. */
  readonly position: string;
}

/**
 * The facts of other areas about the money of an account. Injected by its class; the composition
 * binds it.
 */
export abstract class BillSources {
  /** The stream with the money of an account. */
  abstract accountStream(accountId: string): string;

  /** The stream with the price lists. */
  abstract rateCardStream(): string;

  /** @param month `YYYY-MM` @throws DomainError for a month without a statement */
  abstract statement(accountId: string, month: string): Promise<BilledStatement>;
}
