import { type HoldCaptured } from '#events/billing/account.events.js';

/** The charges of accounts. The composition root binds it. */
export abstract class Charges {
  /** Null where the account has no such charge. */
  abstract find(accountId: string, holdId: string): Promise<HoldCaptured['data'] | null>;
}
