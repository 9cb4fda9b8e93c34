import { type HeadCard } from './model-card.js';

export interface Classification {
  readonly topClass: string;
  /** The calibrated probability of the top class. */
  readonly confidence: number;
  /** The task whose head answered. */
  readonly domain: string;
}

/** Softmax of logits divided by a temperature. */
export const probabilitiesOf = (
  logits: ArrayLike<number>,
  temperature: number,
): readonly number[] => {
  const scaled = Array.from(logits, (logit) => logit / temperature);
  const top = Math.max(...scaled);
  const powers = scaled.map((logit) => Math.exp(logit - top));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
};

/** The index of the largest value, the first of equals. */
export const topOf = (values: readonly number[]): number => values.indexOf(Math.max(...values));

/** The probability of each class. */
export const distributionOf = (
  logits: ArrayLike<number>,
  { classes, temperature }: Pick<HeadCard, 'classes' | 'temperature'>,
): readonly { readonly action: string; readonly probability: number }[] =>
  probabilitiesOf(logits, temperature).map((probability, index) => {
    return { action: classes[index] ?? '', probability };
  });

export const classify = (
  logits: ArrayLike<number>,
  { task, classes, temperature }: Pick<HeadCard, 'task' | 'classes' | 'temperature'>,
): Classification => {
  const probabilities = probabilitiesOf(logits, temperature);
  const top = topOf(probabilities);
  return {
    topClass: classes[top] ?? '',
    confidence: probabilities[top] ?? 0,
    domain: task,
  };
};
