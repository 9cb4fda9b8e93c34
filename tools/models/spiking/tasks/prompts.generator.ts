/** Prompts in eight domains, from which every network learns to classify strings. */
import { stableHash, type SeededRandom } from '#engines/training/seeded-random.js';
import type { Split } from '../../corpus/corpus.generator.js';
import { HOW_FRAMES, WHAT_FRAMES } from '../../corpus/topic.js';
import { DOMAINS, PROMPT_TOPICS } from './prompts.topics.js';

export interface Prompt {
  readonly text: string;
  /** An index of `DOMAINS`. */
  readonly label: number;
}

/** Frames of the corpus that fit any subject. */
const general = (frames: readonly string[]): readonly string[] =>
  frames.filter((frame) => !frame.includes('Quipu'));

const GENERAL_NOUN_FRAMES = general(WHAT_FRAMES);
const GENERAL_VERB_FRAMES = general(HOW_FRAMES);

/** One subject in five, by the hash of its words, is held out with every sentence about it. */
const splitOf = (subject: string): Split =>
  stableHash(subject) % 5 === 0 ? 'held-out' : 'training';

/** As people type: often without capitals or the final mark. */
const asTyped = (text: string, random: SeededRandom): string => {
  const draw = random.next();
  if (draw < 0.15) return text.toLowerCase();
  return draw < 0.3 ? text.replace(/[.?!]$/, '') : text;
};

/** Puts a phrase before the final mark of a sentence. */
const within = (sentence: string, context: string): string =>
  sentence.replace(/([.?!])$/, ` ${context}$1`);

/** A prompt about a subject of the split; no held-out subject appears in a training prompt. */
export const drawPrompt = (split: Split, random: SeededRandom): Prompt => {
  const label = random.below(DOMAINS.length);
  const { nouns, verbs, frames, contexts } = PROMPT_TOPICS[DOMAINS[label] ?? 'chat'];
  for (;;) {
    const asksHow = random.next() < 0.4;
    const subject = random.pick(asksHow ? verbs : nouns);
    if (splitOf(subject) === split) {
      const nounFrames = random.next() < 0.6 ? frames : GENERAL_NOUN_FRAMES;
      const frame = random.pick(asksHow ? GENERAL_VERB_FRAMES : nounFrames);
      const sentence = frame.replace('{}', subject);
      const whole = random.next() < 0.6 ? within(sentence, random.pick(contexts)) : sentence;
      return { text: asTyped(whole, random), label };
    }
  }
};
