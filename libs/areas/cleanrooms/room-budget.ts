import { type CompositionRule } from '#events/cleanrooms/cleanroom.events.js';
import { fractionOf, fractionText, type Rational, rational } from '#platform/kernel/rational.js';
import { type RoomRecord } from '#projections/cleanrooms/cleanrooms.projection.js';
import { reject } from './cleanrooms.errors.js';
import { epsilonAbove, epsilonBelow, epsilonOf, rhoLimitOf } from './privacy.engine.js';
import { decimal } from './room-table.js';

/** The budget as it is shown, in millionths of epsilon: `remaining` is their difference. */
export interface ShownBudget {
  /** Rounded down. */
  readonly total: number;
  /** Rounded up, with the open reservations. */
  readonly spent: number;
  readonly remaining: number;
  /** The part of `spent` that the open reservations add. */
  readonly reserved: number;
}

const EPSILON_MAX = rational(1_000n);
const MILLION = rational(1_000_000n);
const ZERO = rational(0n);

/**
 * The sum that the costs of answers may reach.
 * @throws DomainError `cleanroom_budget_invalid` that names the field
 */
export const limitOf = (
  rule: CompositionRule,
  { epsilon, delta }: { readonly epsilon: string; readonly delta: string },
): string => {
  const [total, chance] = [decimal(epsilon), decimal(delta)];
  if (total.compare(ZERO) <= 0 || total.compare(EPSILON_MAX) > 0) {
    reject('cleanroom_budget_invalid', 'total_epsilon: expected a number above 0, at most 1000');
  }
  if (rule === 'pure') {
    if (chance.compare(ZERO) !== 0) {
      reject('cleanroom_budget_invalid', 'total_delta: expected 0 for the rule pure');
    }
    return fractionText(total);
  }
  if (chance.compare(ZERO) <= 0 || chance.compare(rational(1n, 10n)) > 0) {
    reject('cleanroom_budget_invalid', 'total_delta: expected a number above 0, at most 0.1');
  }
  return fractionText(rhoLimitOf(total, chance));
};

/** The epsilon of a sum of costs, at the delta of the room. */
const epsilonIn = ({ rule, totalDelta }: RoomRecord, cost: Rational): Rational =>
  rule === 'pure' ? epsilonAbove(cost) : epsilonOf(cost, decimal(totalDelta));

/** Against the analyst: no sum of answers has spent more than is shown. */
export const shownBudget = (room: RoomRecord): ShownBudget => {
  const total = epsilonBelow(decimal(room.totalEpsilon));
  const spent = fractionOf(room.spent);
  const used = spent.plus(fractionOf(room.reserved));
  const [shown, before] = [used, spent].map((cost) => {
    const epsilon = epsilonIn(room, cost);
    // The limit keeps the exact epsilon within the total.
    return Number((epsilon.compare(total) > 0 ? total : epsilon).times(MILLION).numerator);
  });
  const whole = Number(total.times(MILLION).numerator);
  const [used6 = 0, spent6 = 0] = [shown, before];
  return { total: whole, spent: used6, remaining: whole - used6, reserved: used6 - spent6 };
};
