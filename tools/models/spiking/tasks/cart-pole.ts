/**
 * A pole on a cart that two pushes must keep upright (Barto, Sutton and Anderson, 1983), with the
 * constants and the explicit Euler steps of Gymnasium's CartPole-v1.
 */
import { ANGLE_LIMIT, CART_LIMIT } from '#engines/spiking/models/hybrid-rl.model.js';
import type { SeededRandom } from '#engines/training/seeded-random.js';
import { between, type InputTask } from './task.js';

const GRAVITY = 9.8;
const CART_MASS = 1;
const POLE_MASS = 0.1;
const HALF_LENGTH = 0.5;
const FORCE = 10;
const SECONDS_PER_STEP = 0.02;

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

/** A point for each push, as Gymnasium counts them. */
export const episodeReturn = (policy: (state: CartPole) => number, start: CartPole): number => {
  let state = start;
  for (let pushes = 1; pushes <= EPISODE_STEPS_MAX; pushes += 1) {
    state = step(state, policy(state));
    if (hasFallen(state)) return pushes;
  }
  return EPISODE_STEPS_MAX;
};

/** An input is the start of an episode: actions have no labels. */
export const cartPole: InputTask = {
  name: 'cart-pole',
  description:
    'The position in metres, velocity, angle in radians and angular velocity of a pole on a ' +
    'cart; the class is the push that keeps the pole up. An episode scores a point for each ' +
    'push, and ends beyond 2.4 m, beyond 12 degrees, or after 500 pushes.',
  inputShape: [4],
  classes: ACTIONS,
  draw: (random) => ({ input: Float32Array.from(reset(random)) }),
};
