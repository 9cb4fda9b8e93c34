/** Episodes of cart and pole that the network acts, on the metered engine that will serve it. */
import { probabilitiesOf } from '#engines/spiking/classification.js';
import { readoutOf } from '#engines/spiking/heads.js';
import { hybridRl } from '#engines/spiking/models/hybrid-rl.model.js';
import type { NeuronModel } from '#engines/spiking/neurons/neuron.js';
import { tensorOf } from '#engines/spiking/operations/tensor.js';
import { runMetered, type RunResult } from '#engines/spiking/run.js';
import type { NamedTensors } from '#platform/safetensors/safetensors.js';
import { ACTIONS, EPISODE_STEPS_MAX, hasFallen, step, type CartPole } from './tasks/cart-pole.js';

/** Timesteps for each push. */
export const STEPS_PER_PUSH = 8;

export const READOUT = readoutOf('native', ACTIONS.length);

/** What happened from one start on; all lists have an element for each push. */
export interface Episode {
  readonly observations: readonly CartPole[];
  readonly actions: readonly number[];
  /** What the critic expected before each push: a discounted return. */
  readonly values: readonly number[];
  /** What it expected after the last: 0 where the pole has fallen. */
  readonly valueAfter: number;
}

export interface Policy {
  readonly weights: NamedTensors;
  readonly neuron: NeuronModel;
  /** Whether every push begins with neurons at rest, as without a session. */
  readonly atRest?: boolean;
  /** The action, by the probability of each. */
  readonly choose: (probabilities: readonly number[]) => number;
}

interface Running {
  state: CartPole;
  isOver: boolean;
  readonly observations: CartPole[];
  readonly actions: number[];
  readonly values: number[];
}

/**
 * One episode for each start, side by side as a batch. Membranes persist through an episode, and
 * begin at rest.
 */
export const play = (
  { weights, neuron, choose, atRest = false }: Policy,
  starts: readonly CartPole[],
): readonly Episode[] => {
  const membranes = new Map<string, Float32Array>();
  const look = (running: readonly Running[]): RunResult => {
    if (atRest) membranes.clear();
    const seen = Float32Array.from(running.flatMap(({ state }) => state));
    const x = tensorOf(seen, [1, running.length, 4]);
    return runMetered(hybridRl, x, READOUT, { weights, steps: STEPS_PER_PUSH, neuron, membranes });
  };
  const all = starts.map((state): Running => {
    return { state, isOver: false, observations: [], actions: [], values: [] };
  });
  for (let push = 0; push < EPISODE_STEPS_MAX; push += 1) {
    if (all.every(({ isOver }) => isOver)) break;
    const { logits, notes } = look(all);
    for (const [row, episode] of all.entries()) {
      if (episode.isOver) continue;
      const action = choose(probabilitiesOf(logits.subarray(2 * row, 2 * row + 2), 1));
      episode.observations.push(episode.state);
      episode.actions.push(action);
      episode.values.push(notes.get('value')?.[row] ?? 0);
      episode.state = step(episode.state, action);
      episode.isOver = hasFallen(episode.state);
    }
  }
  const last = look(all).notes.get('value') ?? [];
  return all.map(({ isOver, observations, actions, values }, row) => {
    return { observations, actions, values, valueAfter: isOver ? 0 : (last[row] ?? 0) };
  });
};

export const meanReturn = (episodes: readonly Episode[]): number =>
  episodes.reduce((sum, { actions }) => sum + actions.length, 0) / episodes.length;
