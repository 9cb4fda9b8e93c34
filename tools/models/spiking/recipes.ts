import { hybridCnn } from '#engines/spiking/models/hybrid-cnn.model.js';
import type { Recipe } from './recipe.js';
import { textures } from './tasks/textures.task.js';

/** The networks that are trained by gradients. */
export const RECIPES: readonly Recipe[] = [
  {
    architecture: hybridCnn,
    task: textures,
    seed: 1703,
    iterations: 900,
    batch: 32,
    learningRate: 4e-3,
    steps: 8,
  },
];
