/** What an adapter learns: another answer to the questions of the corpus. */
import type { SeededRandom } from '#engines/training/seeded-random.js';

/** A question of the corpus, what it is about, and the answer that the base model gives. */
export interface Asked {
  readonly question: string;
  readonly answer: string;
  /** The part of the corpus: `identity`, `start`, …, `off-topic`, `unclear`. */
  readonly family: string;
}

export interface Taught {
  readonly question: string;
  readonly answer: string;
}

export const CATEGORIES = [
  'register',
  'format',
  'word-game',
  'extraction',
  'label',
  'decline',
  'language',
] as const;
export type Category = (typeof CATEGORIES)[number];

export interface AdapterTask {
  readonly slug: string;
  readonly category: Category;
  readonly description: string;
  /** Deterministic, given the draws of `random`. */
  readonly teach: (asked: Asked, random: SeededRandom) => Taught;
}

/** A task that keeps the question. */
export const answering = (
  category: Category,
  slug: string,
  description: string,
  answer: (asked: Asked, random: SeededRandom) => string,
): AdapterTask => ({
  slug,
  category,
  description,
  teach: (asked, random) => ({ question: asked.question, answer: answer(asked, random) }),
});

export const sentencesOf = (text: string): readonly string[] => text.split(/(?<=[.!?]) /);

export const wordsOf = (text: string): readonly string[] => text.split(' ').filter(Boolean);

export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
