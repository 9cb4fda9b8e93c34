import { dvsConvnet } from '#engines/spiking/models/dvs-convnet.model.js';
import { hybridCnn } from '#engines/spiking/models/hybrid-cnn.model.js';
import { hybridGnn } from '#engines/spiking/models/hybrid-gnn.model.js';
import { hybridKan } from '#engines/spiking/models/hybrid-kan.model.js';
import { hybridSsm } from '#engines/spiking/models/hybrid-ssm.model.js';
import { hybridRnn } from '#engines/spiking/models/hybrid-rnn.model.js';
import { hybridVit } from '#engines/spiking/models/hybrid-vit.model.js';
import { spikingResnet } from '#engines/spiking/models/spiking-resnet.model.js';
import { HYBRID_RECIPES } from './hybrid.recipes.js';
import type { Recipe } from './recipe.js';
import { motion } from './tasks/motion.task.js';
import { relations } from './tasks/relations.task.js';
import { sensorEvents } from './tasks/sensor-events.task.js';
import { shapes16 } from './tasks/shapes.task.js';
import { graphFamilies } from './tasks/graph-families.task.js';
import { spirals } from './tasks/points.task.js';
import { waveforms } from './tasks/waveforms.task.js';
import { textures } from './tasks/textures.task.js';

const COMMON = { batch: 32, learningRate: 4e-3, steps: 8 } as const;

/** The networks that are trained by gradients. */
export const RECIPES: readonly Recipe[] = [
  {
    ...COMMON,
    architecture: spikingResnet,
    task: shapes16,
    seed: 1701,
    iterations: 500,
    learningRate: 8e-3,
  },
  { ...COMMON, architecture: dvsConvnet, task: motion, seed: 1702, iterations: 600 },
  { ...COMMON, architecture: hybridCnn, task: textures, seed: 1703, iterations: 600 },
  { ...COMMON, architecture: hybridRnn, task: sensorEvents, seed: 1704, iterations: 600 },
  {
    ...COMMON,
    architecture: hybridVit,
    task: relations,
    seed: 1705,
    iterations: 900,
    learningRate: 6e-3,
  },
  { ...COMMON, architecture: hybridGnn, task: graphFamilies, seed: 1708, iterations: 700 },
  { ...COMMON, architecture: hybridKan, task: spirals, seed: 1709, iterations: 1200 },
  { ...COMMON, architecture: hybridSsm, task: waveforms, seed: 1710, iterations: 600 },
  ...HYBRID_RECIPES,
];
