/** Every trained network: its score, its weights, and the agreement of the two backends. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import { readoutOf } from '#engines/spiking/heads.js';
import { storedModels, weightsOf, type StoredModel } from '#engines/spiking/model-store.js';
import { type HeadCard } from '#engines/spiking/model-card.js';
import { type Head } from '#engines/spiking/model.js';
import { ARCHITECTURES } from '#engines/spiking/models/architectures.js';
import { runMetered } from '#engines/spiking/run.js';
import { accuracyOf, answersOf, promptAnswersOf, type Answer } from './evaluation.js';
import { drawInputs, joinInputs } from './examples.js';
import { startSpikingTraining } from './network.trainer.js';
import { ParameterStore } from './parameter.store.js';
import { CLASSIFIERS, PLANS } from './plan.js';
import { TrainingOperations } from './training.operations.js';

const MODELS = fileURLToPath(new URL('../../../models', import.meta.url));
const HEADS: readonly Head[] = ['native', 'text'];
const SAMPLE = 40;
const COMPARED = 6;

const stored = await storedModels([MODELS]);

const planOf = ({ card }: StoredModel) => {
  const plan = PLANS.find(({ architecture }) => architecture.name === card.name);
  if (plan === undefined) throw new Error(`${card.name} has weights and no plan`);
  return plan;
};

/** Holds a head to the accuracy of its card, and the card to its baseline. */
const expectScore = (
  { accuracy, baseline, rivals = [] }: HeadCard,
  answers: readonly Answer[],
): void => {
  // Four standard errors of a sample of this size, and what one example weighs.
  const slack = 4 * Math.sqrt((accuracy * (1 - accuracy)) / SAMPLE) + 1 / SAMPLE;
  expect(Math.abs(accuracyOf(answers) - accuracy)).toBeLessThanOrEqual(slack);
  for (const rule of [baseline, ...rivals]) {
    expect(accuracy).toBeGreaterThan(rule.accuracy + 0.1);
  }
};

describe.each(stored.map((model) => [model.card.name, model] as const))('%s', (_, model) => {
  const plan = planOf(model);
  const { card } = model;
  const { architecture, steps } = plan;

  it('is the network of its card', async () => {
    const { slug, routingMode, displayName, neuronModels } = architecture;
    expect(card).toMatchObject({ slug, routingMode, displayName, seed: plan.seed });
    expect(card.neuronModels).toEqual(neuronModels);
    const weights = await weightsOf(model);
    const numbers = [...weights.values()].reduce((sum, { values }) => sum + values.length, 0);
    expect(card.parameters).toBe(numbers);
  });

  it('scores on held-out prompts as its card says', async () => {
    expectScore(card.text, promptAnswersOf(plan, await weightsOf(model), SAMPLE));
  });

  it('stays within the bounds of its card', async () => {
    const weights = await weightsOf(model);
    for (const [head, timesteps] of [
      ['native', steps],
      ['text', 3],
      ['native', 17],
    ] as const) {
      const source = { ...plan, steps: timesteps };
      const [x] = drawInputs(source, head, 'held-out', 5, 1);
      if (x === undefined) throw new Error('no input');
      for (const neuron of card.neuronModels) {
        const { layers } = runMetered(
          architecture,
          x,
          readoutOf(head, card.native.classes.length),
          { weights, steps: timesteps, neuron },
        );
        const total = (figure: 'macs' | 'acs' | 'synapticEvents'): number =>
          layers.reduce((sum, layer) => sum + layer[figure], 0);
        const { bounds } = card;
        expect(total('macs')).toBeLessThanOrEqual(bounds.macs + timesteps * bounds.macsPerTimestep);
        expect(total('acs')).toBeLessThanOrEqual(bounds.acs + timesteps * bounds.acsPerTimestep);
        expect(total('synapticEvents')).toBeLessThanOrEqual(
          bounds.synapticEvents + timesteps * bounds.synapticEventsPerTimestep,
        );
      }
    }
  });
});

const classifiers = stored.flatMap((model) => {
  const plan = CLASSIFIERS.find(({ architecture }) => architecture.name === model.card.name);
  return plan ? [[plan.architecture.name, plan, model] as const] : [];
});

describe('the native heads that classify', () => {
  it.each(classifiers)(
    'score on held-out examples as their cards say: %s',
    async (_, plan, model) => {
      const { native } = model.card;
      if (!('accuracy' in native)) throw new Error('a classifier has an accuracy');
      const { model: neuron } = plan.architecture.neuron;
      expectScore(native, answersOf(plan, 'native', await weightsOf(model), neuron, SAMPLE));
    },
  );

  it('are all but that of the network that acts', () => {
    const acting = stored.filter(({ card }) => 'meanReturn' in card.native);
    expect(acting.map(({ card }) => card.name)).toEqual(['hybrid-rl']);
    expect(classifiers.length).toBe(stored.length - acting.length);
  });
});

describe('the trained networks', () => {
  it('are all that are defined', () => {
    const names = ARCHITECTURES.map(({ name }) => name);
    expect(stored.map(({ card }) => card.name).sort()).toEqual(names.sort());
  });

  it('take less than 20 MB together', async () => {
    const sizes = await Promise.all(
      stored.map(async ({ folder }) => (await stat(path.join(folder, 'model.safetensors'))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(20e6);
  });

  it('have names, slugs and weights of their own', () => {
    for (const own of ['name', 'slug', 'weightsSha256'] as const) {
      expect(new Set(stored.map(({ card }) => card[own])).size).toBe(stored.length);
    }
    const slugs = ARCHITECTURES.map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(slugs.length);
  });
});

/** The reservoir is stepped neuron by neuron, which the training backend does not do. */
const differentiated = stored.filter(({ card }) => card.name !== 'hybrid-lsm');

describe('the training backend', () => {
  beforeAll(startSpikingTraining);

  it.each(differentiated.map((model) => [model.card.name, model] as const))(
    'agrees with the metered one on %s',
    async (_, network) => {
      const { architecture, steps, seed } = planOf(network);
      const weights = await weightsOf(network);
      const settings = architecture.neuron;
      const neuron = { ...settings, surrogate: 'atan', detachReset: true } as const;
      const parameters = ParameterStore.of(weights);
      for (const head of HEADS) {
        const readout = readoutOf(head, network.card.native.classes.length);
        const inputs = drawInputs(planOf(network), head, 'held-out', seed, COMPARED);
        const trained = tf.tidy(() => {
          const operations = new TrainingOperations({ parameters, steps, neuron });
          const x = joinInputs(inputs);
          const input = tf.tensor(x.values, [...x.shape]);
          return architecture.forward<tf.Tensor>(operations, input, readout).dataSync();
        });
        const differences = inputs.map((x, place) => {
          const options = { weights, steps, neuron: neuron.model, exhaustive: true };
          const { logits } = runMetered(architecture, x, readout, options);
          return Math.max(
            ...logits.map((logit, index) =>
              Math.abs(logit - (trained[place * readout.classes + index] ?? NaN)),
            ),
          );
        });
        // A membrane within rounding of its threshold may fire in one backend and not in the other.
        const equal = differences.filter((difference) => difference < 1e-3);
        expect(equal.length).toBeGreaterThanOrEqual(COMPARED - 1);
      }
      parameters.dispose();
    },
  );
});
