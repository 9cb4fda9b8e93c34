import { closedFormContinuous } from '#engines/spiking/models/closed-form-continuous.model.js';
import { continuousNeuralOde } from '#engines/spiking/models/continuous-neural-ode.model.js';
import { dynamicHypernetwork } from '#engines/spiking/models/dynamic-hypernetwork.model.js';
import {
  linearAttentionRwkv,
  rwkvForward,
} from '#engines/spiking/models/linear-attention-rwkv.model.js';
import { modernHopfield } from '#engines/spiking/models/modern-hopfield.model.js';
import { neuroSymbolicLtn } from '#engines/spiking/models/neuro-symbolic-ltn.model.js';
import { patternAnnSnn } from '#engines/spiking/models/pattern-ann-snn.model.js';
import { patternSnnAnn } from '#engines/spiking/models/pattern-snn-ann.model.js';
import { patternSpikingTransformer } from '#engines/spiking/models/pattern-spiking-transformer.model.js';
import { physicsInformedPinn } from '#engines/spiking/models/physics-informed-pinn.model.js';
import { parallelAttention } from '#engines/spiking/models/rwkv.attention.js';
import { se3EquivariantGnn } from '#engines/spiking/models/se3-equivariant-gnn.model.js';
import { spikingDiffusion } from '#engines/spiking/models/spiking-diffusion.model.js';
import { spatioTemporalGnn } from '#engines/spiking/models/spatio-temporal-gnn.model.js';
import type * as tf from '@tensorflow/tfjs-core';
import { diffusionLoss } from './diffusion.loss.js';
import { learnHeat } from './heat.training.js';
import { logicLoss } from './logic.loss.js';
import { nextByteLoss } from './next-byte.loss.js';
import type { Recipe } from './recipe.js';
import { counts } from './tasks/counts.task.js';
import { digits } from './tasks/digits.task.js';
import { entities } from './tasks/entities.task.js';
import { fewShot } from './tasks/few-shot.task.js';
import { glyphs } from './tasks/glyphs.task.js';
import { heatReadings } from './tasks/heat.task.js';
import { CONTEXT, nextByte } from './tasks/next-byte.task.js';
import { noisyShapes } from './tasks/noisy-shapes.task.js';
import { oscillators } from './tasks/oscillators.task.js';
import { nestedRings } from './tasks/points.task.js';
import { solids } from './tasks/solids.task.js';
import { spectra } from './tasks/spectra.task.js';
import { traffic } from './tasks/traffic.task.js';

const USUAL = { iterations: 500, batch: 32, learningRate: 4e-3, steps: 8 };

/** Networks that mix dense dynamics with spikes, and the three patterns. */
export const HYBRID_RECIPES: readonly Recipe[] = [
  { ...USUAL, architecture: patternSnnAnn, task: digits, seed: 2101, iterations: 900 },
  { ...USUAL, architecture: patternAnnSnn, task: spectra, seed: 2201, iterations: 700 },
  {
    ...USUAL,
    architecture: patternSpikingTransformer,
    task: counts,
    seed: 2301,
    iterations: 1500,
    learningRate: 8e-3,
  },
  { ...USUAL, architecture: continuousNeuralOde, task: nestedRings, seed: 1201, iterations: 300 },
  { ...USUAL, architecture: spatioTemporalGnn, task: traffic, seed: 1401, iterations: 800 },
  { ...USUAL, architecture: modernHopfield, task: glyphs, seed: 1501, learningRate: 0.01 },
  { ...USUAL, architecture: dynamicHypernetwork, task: fewShot, seed: 1601, iterations: 1000 },
  {
    ...USUAL,
    architecture: closedFormContinuous,
    task: oscillators,
    seed: 1711,
    steps: 20,
    iterations: 600,
    learningRate: 8e-3,
  },
  {
    ...USUAL,
    architecture: se3EquivariantGnn,
    task: solids,
    seed: 1801,
    batch: 16,
    iterations: 800,
    learningRate: 8e-3,
  },
  { ...USUAL, architecture: neuroSymbolicLtn, task: entities, seed: 2001, nativeLoss: logicLoss },
  {
    ...USUAL,
    architecture: physicsInformedPinn,
    task: heatReadings,
    seed: 1301,
    iterations: 700,
    prepare: learnHeat,
  },
  {
    ...USUAL,
    architecture: spikingDiffusion,
    task: noisyShapes,
    seed: 1101,
    iterations: 250,
    learningRate: 6e-3,
    nativeLoss: diffusionLoss(1102),
  },
  {
    ...USUAL,
    architecture: linearAttentionRwkv,
    task: nextByte,
    seed: 1901,
    iterations: 1400,
    batch: 24,
    learningRate: 8e-3,
    steps: CONTEXT,
    nativeLoss: nextByteLoss,
    forward: (ops, x, readout) => rwkvForward<tf.Tensor>(ops, x, readout, parallelAttention),
  },
];
