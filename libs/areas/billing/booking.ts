import { monthAfter, monthOf } from '#events/billing/statement-month.js';
import { type AccountState } from './account.state.js';

/** A movement of a closed month goes to the first month after it: a closed statement is final. */
export const bookedFor = (
  instant: string,
  { closedThrough }: AccountState,
): { readonly bookedIn?: string } =>
  closedThrough !== null && monthOf(instant) <= closedThrough
    ? { bookedIn: monthAfter(closedThrough) }
    : {};
