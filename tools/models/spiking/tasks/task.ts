/** What a network is trained on: a generator of labelled examples. */
import type { Split } from '../../corpus/corpus.generator.js';
import type { SeededRandom } from '#engines/training/seeded-random.js';

export interface Example {
  /** Row-major values of `inputShape`, all finite. */
  readonly input: Float32Array;
  /** An index of `classes`. */
  readonly label: number;
}

/** A rule that needs no training. */
export interface Rival {
  readonly name: string;
  /** @returns an index of the classes of the task */
  classify(input: Float32Array): number;
}

/** A generator of inputs that a network answers by one of its classes. */
export interface InputTask {
  /** What the model card calls it. */
  readonly name: string;
  /** One sentence for the model card: what an input is, and what decides its class. */
  readonly description: string;
  readonly inputShape: readonly number[];
  readonly classes: readonly string[];
  draw(random: SeededRandom, split?: Split): Pick<Example, 'input'>;
}

export interface ClassificationTask extends InputTask {
  /** Rules that a trained network must beat, beside always naming the most frequent class. */
  readonly rivals?: readonly Rival[];
  /**
   * One example. Every class is as likely as any other, unless the description says otherwise. A
   * task on a fixed text draws the splits from different parts of it; others draw from other seeds.
   */
  draw(random: SeededRandom, split?: Split): Example;
}

/** Examples of the task, drawn one after the other. */
export const drawMany = (
  task: ClassificationTask,
  random: SeededRandom,
  count: number,
): readonly Example[] => Array.from({ length: count }, () => task.draw(random));

/** Uniform in [low, high). */
export const between = (random: SeededRandom, low: number, high: number): number =>
  low + (high - low) * random.next();
