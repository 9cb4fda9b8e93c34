/** The choices that make mini and its draft what they are. */
import type { LlamaShape } from '#engines/training/model/llama.model.js';
import type { Stage } from '../nano.recipe.js';

/** As of nano, but one optimizer sees all stages, and every descent is a straight line. */
export type FamilyStage = Omit<Stage, 'learningRate' | 'corpus'> & {
  readonly learningRate: Omit<Stage['learningRate'], 'descent'>;
};

export interface FamilyRecipe {
  /** Of its files: `<slug>.gguf`, `<slug>.json` and so on. */
  readonly slug: string;
  readonly name: string;
  readonly shape: Omit<LlamaShape, 'vocabulary'>;
  readonly stages: readonly FamilyStage[];
  readonly weightDecay: number;
  /** Teacher and weights of the loss `alpha T² KL + beta CE`; null learns from the text only. */
  readonly distillation: {
    readonly teacher: string;
    readonly temperature: number;
    readonly alpha: number;
    readonly beta: number;
  } | null;
}

const DETAILS = { contextLength: 1024, ropeBase: 10_000, normEpsilon: 1e-5 } as const;

export const MINI: FamilyRecipe = {
  slug: 'mini',
  name: 'Quipu mini',
  shape: { width: 256, layers: 4, heads: 4, feedForwardWidth: 704, ...DETAILS },
  stages: [
    {
      steps: 1000,
      rows: 16,
      positions: 192,
      commonShare: 0,
      learningRate: { peak: 2e-3, final: 2e-5, warmUpSteps: 100, descentSteps: 3040 },
    },
    {
      steps: 850,
      rows: 16,
      positions: 192,
      commonShare: 0.1,
      learningRate: { peak: 1.4e-3, final: 1e-4, warmUpSteps: 0, descentSteps: 850 },
    },
    {
      steps: 150,
      rows: 6,
      positions: 512,
      commonShare: 0.1,
      learningRate: { peak: 1e-4, final: 5e-6, warmUpSteps: 0, descentSteps: 150 },
    },
  ],
  weightDecay: 0.05,
  distillation: null,
};

/** Its speed is its worth: one layer, half as wide as its teacher. */
export const MINI_DRAFT: FamilyRecipe = {
  slug: 'mini-draft',
  name: 'Quipu mini draft',
  shape: { width: 128, layers: 1, heads: 4, feedForwardWidth: 352, ...DETAILS },
  stages: [
    {
      steps: 560,
      rows: 16,
      positions: 192,
      commonShare: 0.05,
      learningRate: { peak: 4e-3, final: 4e-4, warmUpSteps: 40, descentSteps: 560 },
    },
    {
      steps: 40,
      rows: 6,
      positions: 512,
      commonShare: 0.1,
      learningRate: { peak: 4e-4, final: 1e-5, warmUpSteps: 0, descentSteps: 40 },
    },
  ],
  weightDecay: 0.01,
  distillation: { teacher: 'mini', temperature: 1.5, alpha: 0.9, beta: 0.1 },
};

export const FAMILY: readonly FamilyRecipe[] = [MINI, MINI_DRAFT];

/** @throws RangeError for a slug that the family does not have */
export const recipeOf = (slug: string): FamilyRecipe => {
  const recipe = FAMILY.find((candidate) => candidate.slug === slug);
  if (recipe !== undefined) return recipe;
  const known = FAMILY.map((candidate) => candidate.slug).join(', ');
  throw new RangeError(`the family has no ${slug}; there are ${known}`);
};
