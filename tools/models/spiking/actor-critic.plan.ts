import { hybridRl } from '#engines/spiking/models/hybrid-rl.model.js';
import { STEPS_PER_PUSH } from './actor-critic.episodes.js';
import { learnToBalance } from './actor-critic.trainer.js';
import { returnsScore } from './actor-critic.report.js';
import type { TrainingPlan } from './plan.js';
import { cartPole } from './tasks/cart-pole.js';

const SEED = 1707;

const recipe = { seed: SEED, updates: 60, episodes: 16, learningRate: 0.01 } as const;
const prompts = {
  seed: SEED + 3,
  pool: 4000,
  iterations: 600,
  batch: 32,
  learningRate: 4e-3,
} as const;

/** The network that acts: it learns from its own episodes, and no push is shown to it. */
export const actorCritic: TrainingPlan = {
  architecture: hybridRl,
  task: cartPole,
  seed: SEED,
  steps: STEPS_PER_PUSH,
  learn: (report) => learnToBalance({ ...recipe, prompts }, report),
  score: (weights) => returnsScore(weights, SEED),
};
