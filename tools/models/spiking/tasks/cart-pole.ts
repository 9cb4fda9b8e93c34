/**
 * A pole on a cart that two pushes must keep upright (Barto, Sutton and Anderson, 1983), with the
 * constants and the explicit Euler steps of Gymnasium's CartPole-v1.
 */
import type { SeededRandom } from '../../seeded-random.js';
import { between } from './task.js';

const GRAVITY = 9.8;
const CART_MASS = 1;
const POLE_MASS = 0.1;
const HALF_LENGTH = 0.5;
const FORCE = 10;
const SECONDS_PER_STEP = 0.02;

export const CART_LIMIT = 2.4;
export const ANGLE_LIMIT = (12 * Math.PI) / 180;
/** A longer episode counts as solved and is cut. */
export const EPISODE_STEPS_MAX = 500;

/** Position in metres, velocity, angle from upright in radians, angular velocity. */
export type CartPole = readonly [x: number, xDot: number, angle: number, angleDot: number];

export const ACTIONS = ['push-left', 'push-right'] as const;

export const reset = (random: SeededRandom): CartPole => {
  const value = (): number => between(random, -0.05, 0.05);
  return [value(), value(), value(), value()];
};

/** The state after one push; `action` is an index of `ACTIONS`. */
export const step = ([x, xDot, angle, angleDot]: CartPole, action: number): CartPole => {
  const total = CART_MASS + POLE_MASS;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const force = action === 1 ? FORCE : -FORCE;
  const pushed = (force + POLE_MASS * HALF_LENGTH * angleDot * angleDot * sin) / total;
  const angleAcceleration =
    (GRAVITY * sin - cos * pushed) / (HALF_LENGTH * (4 / 3 - (POLE_MASS * cos * cos) / total));
  const acceleration = pushed - (POLE_MASS * HALF_LENGTH * angleAcceleration * cos) / total;
  return [
    x + SECONDS_PER_STEP * xDot,
    xDot + SECONDS_PER_STEP * acceleration,
    angle + SECONDS_PER_STEP * angleDot,
    angleDot + SECONDS_PER_STEP * angleAcceleration,
  ];
};

export const hasFallen = ([x, , angle]: CartPole): boolean =>
  Math.abs(x) > CART_LIMIT || Math.abs(angle) > ANGLE_LIMIT;

/** Steps that a policy keeps the pole up, one point each, as Gymnasium counts them. */
export const episodeReturn = (
  policy: (state: CartPole) => number,
  random: SeededRandom,
): number => {
  let state = reset(random);
  for (let steps = 1; steps <= EPISODE_STEPS_MAX; steps += 1) {
    state = step(state, policy(state));
    if (hasFallen(state)) return steps;
  }
  return EPISODE_STEPS_MAX;
};
