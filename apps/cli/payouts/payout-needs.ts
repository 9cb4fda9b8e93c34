import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { Beneficiary } from '#events/payouts/earning.events.js';

/**
 * The areas that the commands compose: payouts, and the areas whose events and services it needs.
 */
export const PAYOUT_NEEDS = {
  areas: ['identity', 'billing', 'tax', 'partners', 'investors', 'payouts'],
  installation: 'exists',
  projections: [],
} as const;

export const beneficiaryOf = (text: string): Beneficiary => {
  if (Beneficiary.safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected such as partner-1 or investor-9.');
};

export const payoutIdOf = (text: string): string => {
  if (z.uuid().safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected the id of a payout.');
};
