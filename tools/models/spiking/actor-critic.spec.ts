/** The network that acts: its returns, its training, and the sessions by which it acts. */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import { topOf } from '#engines/spiking/classification.js';
import type { PolicyCard, SpikingModelCard } from '#engines/spiking/model-card.js';
import { storedModels, weightsOf } from '#engines/spiking/model-store.js';
import { ANGLE_LIMIT, hybridRl, populationCode } from '#engines/spiking/models/hybrid-rl.model.js';
import { SpikingRunner } from '#engines/spiking/spiking-runner.js';
import type { SpikingEnd } from '#engines/spiking/spiking.protocol.js';
import { play, STEPS_PER_PUSH } from './actor-critic.episodes.js';
import { advantagesOf, experienceOf, logitsOf } from './actor-critic.loss.js';
import { heldOutStarts, returnsOf } from './actor-critic.report.js';
import { learnPolicy, learnToBalance } from './actor-critic.trainer.js';
import { startSpikingTraining } from './network.trainer.js';
import { ParameterStore } from './parameter.store.js';
import { ACTIONS, type CartPole } from './tasks/cart-pole.js';
import { TrainingOperations } from './training.operations.js';

const MODELS = fileURLToPath(new URL('../../../models', import.meta.url));
const SAMPLE = 10;

const stored = (await storedModels([MODELS])).find(({ card }) => card.name === hybridRl.name);
if (stored === undefined) throw new Error('the network has no weights');
const { card } = stored;
const weights = await weightsOf(stored);
const neuron = hybridRl.neuron.model;

const policyOf = ({ native }: SpikingModelCard): PolicyCard => {
  if ('meanReturn' in native) return native;
  throw new Error('the native head acts');
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('the returns of the network that acts', () => {
  const policy = policyOf(card);
  const starts = heldOutStarts(card.seed, SAMPLE);

  it('are those of its card on a sample of its episodes', () => {
    expect(Math.abs(mean(returnsOf(weights, starts, neuron)) - policy.meanReturn)).toBeLessThan(25);
  });

  it('are twenty times those of pushes at random', () => {
    expect(policy.baseline.meanReturn).toBeLessThan(25);
    expect(policy.meanReturn).toBeGreaterThan(20 * policy.baseline.meanReturn);
    expect(policy.meanReturn).toBeLessThanOrEqual(policy.returnMax);
  });

  it('do not depend on the other episodes of a batch', () => {
    const sampled = starts.slice(0, 2);
    const choose = topOf;
    const together = play({ weights, neuron, choose }, sampled);
    const alone = sampled.flatMap((start) => play({ weights, neuron, choose }, [start]));
    expect(together).toEqual(alone);
  });
});

describe('a session of the network that acts', () => {
  const runner = new SpikingRunner([MODELS]);
  const look = (state: CartPole, session: string | null): Promise<SpikingEnd> =>
    runner.run({
      slug: hybridRl.slug,
      inputData: [...state],
      timesteps: STEPS_PER_PUSH,
      neuron: null,
      raster: false,
      session,
    });

  it('is an episode: membranes persist through it', async () => {
    const [episode] = play({ weights, neuron, choose: topOf }, heldOutStarts(5, 1));
    for (const [push, state] of (episode?.observations ?? []).slice(0, 40).entries()) {
      const { classification, policy, sessionRuns } = await look(state, 'episode');
      expect(sessionRuns).toBe(push);
      expect(classification.topClass).toBe(ACTIONS[episode?.actions[push] ?? -1]);
      expect(policy?.value).toBe(episode?.values[push]);
    }
  });

  it('ends with an observation of a pole that has fallen', async () => {
    expect((await look([0, 0, 0.01, 0], 'fall')).sessionRuns).toBe(0);
    expect((await look([0, 0, ANGLE_LIMIT + 0.01, 0], 'fall')).sessionRuns).toBe(1);
    const fresh = await look([0, 0, 0.01, 0], 'fall');
    expect(fresh.sessionRuns).toBe(0);
    expect(fresh.policy).toEqual((await look([0, 0, 0.01, 0], null)).policy);
    await look([-2.5, 0, 0, 0], 'fall');
    expect((await look([0, 0, 0.01, 0], 'fall')).sessionRuns).toBe(0);
  });

  it('gives a distribution over all actions', async () => {
    const { policy, classification } = await look([0.5, 1, 0.1, 1], null);
    expect(policy?.actions.map(({ action }) => action)).toEqual(ACTIONS);
    const shares = policy?.actions.map(({ probability }) => probability) ?? [];
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(Math.max(...shares)).toBe(classification.confidence);
    // A pole that falls to the right is caught on the right.
    expect(classification.topClass).toBe('push-right');
  });

  it('demands the four numbers of an observation', async () => {
    await expect(look([1, 2, 3] as unknown as CartPole, null)).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('has 3 numbers; an observation has 4'),
    });
  });
});

describe('advantages', () => {
  const episode = { observations: [], actions: [0, 0], values: [4, 6] };

  it('are traces of what the critic had not expected', () => {
    // 1 + 0.99 * 0 - 6, and 1 + 0.99 * 6 - 4 + 0.99 * 0.95 * -5.
    const [first, last] = advantagesOf({ ...episode, valueAfter: 0 });
    expect(last).toBeCloseTo(-5, 12);
    expect(first).toBeCloseTo(2.94 - 4.7025, 12);
  });

  it('count on the critic where an episode was cut', () => {
    expect(advantagesOf({ ...episode, valueAfter: 10 })[1]).toBeCloseTo(4.9, 12);
  });

  it('are scaled over all pushes, and padding has none', () => {
    const short = {
      observations: [[1, 2, 3, 4]],
      actions: [1],
      values: [2],
      valueAfter: 0,
    } as const;
    const long = {
      observations: [
        [0, 0, 0, 0],
        [5, 6, 7, 8],
      ],
      actions: [0, 1],
      values: [4, 6],
      valueAfter: 0,
    } as const;
    const experience = experienceOf([short, long]);
    expect(experience).toMatchObject({ pushes: 2, episodes: 2 });
    expect([...experience.observations.subarray(8)]).toEqual([0, 0, 0, 0, 5, 6, 7, 8]);
    expect([...experience.actions]).toEqual([1, 0, 0, 1]);
    expect(experience.shares[2]).toBe(0);
    expect(experience.advantages[2]).toBe(0);
    const scaled = [...experience.advantages].map((share) => 3 * share);
    expect(mean(scaled)).toBeCloseTo(0, 6);
    expect(scaled.reduce((sum, value) => sum + value * value, 0) / 3).toBeCloseTo(1, 3);
  });
});

describe('the training of the network that acts', () => {
  beforeAll(startSpikingTraining);

  it('sees what the engine saw: pushes of an episode share their membranes', () => {
    const episodes = play({ weights, neuron, choose: topOf }, heldOutStarts(9, 2)).map(
      (episode) => {
        const [observations, actions] = [
          episode.observations.slice(0, 30),
          episode.actions.slice(0, 30),
        ];
        return { ...episode, observations, actions };
      },
    );
    const parameters = ParameterStore.of(weights);
    const settings = { ...hybridRl.neuron, surrogate: 'atan', detachReset: true } as const;
    const operations = new TrainingOperations({
      parameters,
      steps: STEPS_PER_PUSH,
      neuron: settings,
    });
    const { observations, pushes } = experienceOf(episodes);
    const chosen = tf.tidy(() => {
      const code = populationCode<tf.Tensor>(operations, tf.tensor(observations, [pushes, 2, 4]));
      return tf.argMax(logitsOf(operations, code), 1).dataSync<'int32'>();
    });
    parameters.dispose();
    const acted = Array.from({ length: pushes }, (_, push) =>
      episodes.map(({ actions }) => actions[push]),
    ).flat();
    // A membrane within rounding of its threshold may fire in one backend and not in the other.
    const equal = acted.filter((action, at) => action === chosen[at]).length;
    expect(equal).toBeGreaterThanOrEqual(acted.length - 2);
  });

  it('learns from its own episodes', () => {
    const returns: number[] = [];
    const recipe = { seed: card.seed, updates: 8, episodes: 8, learningRate: 0.015 };
    learnPolicy(recipe, (_, mean) => returns.push(mean));
    expect(returns).toEqual([expect.any(Number)]);
    expect(returns[0]).toBeGreaterThan(60);
  });

  it('gives the same weights from the same seed', () => {
    const prompts = { seed: 3, pool: 20, iterations: 2, batch: 4, learningRate: 1e-3 };
    const recipe = { seed: 11, updates: 2, episodes: 2, learningRate: 0.01, prompts };
    const learn = () => learnToBalance(recipe, () => undefined);
    const one = learn();
    expect(learn()).toEqual(one);
    const other = learnToBalance({ ...recipe, seed: 12 }, () => undefined);
    expect(other.get('synapses.weight')).not.toEqual(one.get('synapses.weight'));
  });
});
