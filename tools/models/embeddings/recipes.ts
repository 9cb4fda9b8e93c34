import { type EmbeddingRecipe } from './contrastive.trainer.js';

const COMMON = { steps: 400, pairsPerStep: 128, learningRate: 0.005, scale: 20 } as const;

/** The models that ship. The loss of a prefix keeps shortened vectors useful. */
export const RECIPES: readonly EmbeddingRecipe[] = [
  {
    ...COMMON,
    name: 'quipu-embed-768',
    dimensions: 768,
    rank: 128,
    seed: 768,
    prefixes: [
      { dimensions: 768, share: 1 },
      { dimensions: 128, share: 0.5 },
      { dimensions: 64, share: 0.25 },
    ],
  },
  {
    ...COMMON,
    name: 'quipu-embed-1024',
    dimensions: 1_024,
    rank: 192,
    seed: 1_024,
    prefixes: [
      { dimensions: 1_024, share: 1 },
      { dimensions: 192, share: 0.5 },
      { dimensions: 64, share: 0.25 },
    ],
  },
];
